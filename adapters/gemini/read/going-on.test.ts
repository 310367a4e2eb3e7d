import { appendFileSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listFixtures, loadFixture } from '../../../fixtures/load.ts';
import { unwrap } from '../../../src/shared/errors.ts';
import type { SessionEvent } from '../../../src/shared/events.ts';
import type { AgentEnv, Cursor } from '../../contract.ts';
import { MemorySink } from '../../testing/memory-sink.ts';
import { captureSource, talk, told, withHome } from '../testing/home.ts';
import { call, header, ID, lines, placeIn, reply, user, view } from '../testing/records.ts';
import { discoverSessions, recogniseSession } from './discover.ts';
import type { Json } from './record.ts';

const fixtures = await listFixtures('gemini');
let env: AgentEnv;
let done: () => void;
beforeEach(async () => {
  await new Promise<void>((ready) => {
    void withHome(
      (made) =>
        new Promise<void>((resolve) => {
          env = made;
          done = resolve;
          ready();
        }),
    );
  });
});
afterEach(() => done());

const place = (name?: string, project?: string): string => placeIn(env, name, project);

describe('a file that grows or changes', () => {
  it.each(fixtures)('line by line, with the cursor as JSON, gives what one capture gives: %s', async (name) => {
    await loadFixture('gemini', name, env.home);
    for (const source of (await discoverSessions(env)).sources) {
      const { session: whole, sink: wholeSink } = await captureSource(source, env);
      const text = readFileSync(source.path, 'utf8');
      const pieces = source.path.endsWith('.json') ? [text] : text.split(/(?<=\n)/);
      const sink = new MemorySink();
      let cursor: Cursor | null = null;
      writeFileSync(source.path, '');
      for (const piece of pieces) {
        appendFileSync(source.path, piece);
        const { outcome } = await captureSource(source, env, sink, cursor);
        cursor = JSON.parse(JSON.stringify(outcome.cursor)) as Cursor;
      }
      const [grown] = [...sink.sessions.values()];
      expect(grown === undefined).toBe(whole === undefined);
      if (grown === undefined || whole === undefined) continue;
      const events = ({ events }: { events: SessionEvent[] }): unknown[] =>
        events
          .filter(({ payload }) => payload.key !== 'leaf')
          .map(({ seq: _, parent_seq: __, refs: ___, payload, ...rest }) => [
            rest,
            payload.kept === undefined ? payload : null,
          ]);
      expect(events(grown)).toEqual(events(whole));
      expect(view(grown)).toEqual(view(whole));
      expect(grown.facts).toEqual(whole.facts);
      expect([...sink.artifacts.keys()].sort()).toEqual([...wholeSink.artifacts.keys()].sort());
    }
  });

  it.each(fixtures)('read again from its start, adds nothing: %s', async (name) => {
    await loadFixture('gemini', name, env.home);
    for (const source of (await discoverSessions(env)).sources) {
      const { outcome, sink, session } = await captureSource(source, env);
      const before = session?.events.filter(({ type }) => type !== 'meta').length;
      const text = readFileSync(source.path, 'utf8');
      rmSync(source.path);
      writeFileSync(source.path, text.replace('"startTime"', '"startTime" '));
      const again = await captureSource(source, env, sink, outcome.cursor);
      expect(told(again.outcome)).toBe(again.outcome.records);
      expect(again.session?.events.filter(({ type }) => type !== 'meta').length).toBe(before);
      if (session !== undefined) expect(view(again.session!)).toEqual(view(session));
    }
  });

  it('cut short, loses nothing that was captured, and goes on', async () => {
    const path = place();
    const all = [header(), user('u1', 'A'), reply('g1', 'B'), user('u2', 'C')];
    writeFileSync(path, lines(...all));
    const [source] = (await discoverSessions(env)).sources;
    const { outcome, sink, session } = await captureSource(source!, env);
    writeFileSync(path, lines(...all.slice(0, 3), user('u9', 'other')));
    utimesSync(path, 1, 1);
    const cut = await captureSource(source!, env, sink, outcome.cursor);
    expect(cut.outcome.warnings.map(({ about }) => about)).toEqual([
      expect.stringMatching(/^source-(truncated|replaced)$/),
    ]);
    expect(view(session!)).toEqual(['prompt A', 'reply B', 'prompt other']);
    expect(talk(session!.events)).toHaveLength(4);
  });

  it('that is one document, is the same session when a newer client goes on in lines beside it', async () => {
    const path = place(`session-2026-11-29T13-42-${ID.slice(0, 8)}.json`);
    const talked = [user('u1', 'A'), reply('g1', 'B')];
    writeFileSync(path, JSON.stringify({ ...header(), messages: talked }, null, 2));
    const [source] = (await discoverSessions(env)).sources;
    const first = await captureSource(source!, env);
    writeFileSync(`${path}l`, lines(header(), ...talked, user('u2', 'C')));
    const [same] = (await discoverSessions(env)).sources;
    expect(same).toMatchObject({ path, bytes: readFileSync(`${path}l`).length });
    const second = await captureSource(same!, env, first.sink, first.outcome.cursor);
    expect(second.outcome.warnings).toEqual([]);
    expect(talk(second.session!.events)).toEqual(['prompt A', 'reply B', 'prompt C']);
  });

  it('that is one document, is read whole each time and gives what is new', async () => {
    const path = place(`session-2026-11-29T13-42-${ID.slice(0, 8)}.json`);
    const document = (...messages: Json[]): string => JSON.stringify({ ...header(), messages }, null, 2);
    const talked = [user('u1', 'A'), reply('g1', 'B', { toolCalls: [call('c1')] })];
    writeFileSync(path, document(...talked));
    const [source] = (await discoverSessions(env)).sources;
    const first = await captureSource(source!, env);
    writeFileSync(path, document(...talked, user('u2', 'C')));
    const second = await captureSource(source!, env, first.sink, first.outcome.cursor);
    expect(second.outcome.warnings).toEqual([]);
    expect(talk(second.session!.events)).toEqual([
      'prompt A',
      'reply B',
      'call run_shell_command {"command":"ls"}',
      'result out c1',
      'prompt C',
    ]);
    writeFileSync(path, document(...talked, user('u2', 'C')).slice(0, -60));
    const third = await captureSource(source!, env, second.sink, second.outcome.cursor);
    expect(third.session!.warnings).toMatchObject([{ about: 'truncated-line' }]);
    expect(view(third.session!).slice(0, 2)).toEqual(['prompt A', 'reply B']);
  });
});

describe('finding sessions', () => {
  it('follows GEMINI_CLI_HOME, and takes the newer of two files of one session', async () => {
    const name = `session-2026-11-29T13-42-${ID.slice(0, 8)}`;
    for (const [file, project] of [
      [`${name}.json`, 'loom'],
      [`${name}.jsonl`, 'loom'],
      [`${name}.json`, 'a'.repeat(64)],
    ] as const)
      writeFileSync(place(file, project), lines(header(), user('u1', 'A')));
    const paths = (await discoverSessions(env)).sources.map(({ path }) => path);
    expect(paths).toEqual([place(`${name}.json`)]);
    expect(await recogniseSession(place(`${name}.jsonl`))).toMatchObject({ value: { path: place(`${name}.json`) } });
    const elsewhere = { home: '/nowhere', env: { GEMINI_CLI_HOME: env.home } };
    expect((await discoverSessions(elsewhere)).sources).toHaveLength(1);
    expect(await discoverSessions({ home: '/nowhere', env: {} })).toMatchObject({
      sources: [],
      warnings: [],
      roots: [{ exists: false }],
    });
  });

  it('recognises a session by its header, wherever it lies, and nothing else', async () => {
    const path = join(env.home, 'copy.jsonl');
    writeFileSync(path, lines(header(), user('u1', 'A')));
    expect(unwrap(await recogniseSession(path))).toMatchObject({ agent: 'gemini', path });
    writeFileSync(path, JSON.stringify({ ...header(), messages: [] }, null, 2));
    expect(await recogniseSession(path.replace('l', 'l'))).toMatchObject({ ok: false });
    const document = join(env.home, 'copy.json');
    writeFileSync(document, JSON.stringify({ ...header(), messages: [] }, null, 2));
    expect(await recogniseSession(document)).toMatchObject({ ok: true });
    writeFileSync(path, '{"type":"user","sessionId":"x","uuid":"y"}\n');
    expect(await recogniseSession(path)).toMatchObject({ ok: false, error: { code: 'not_a_session' } });
    expect(await recogniseSession('/nowhere/x.jsonl')).toMatchObject({
      ok: false,
      error: { code: 'source_unreadable' },
    });
  });
});
