import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { listFixtures, loadFixture } from '../../fixtures/load.ts';
import type { AgentEnv, Cursor, NativeSource } from '../contract.ts';
import { type MemorySession, MemorySink } from '../testing/memory-sink.ts';
import { modelView } from '../testing/model-view.ts';
import { discoverSessions } from './read/discover.ts';
import { type Captured, captureSource, told, withHome } from './testing/fixtures.ts';

const names = await listFixtures('pi');

/** Lets a file grow by a line and captures, until it is whole. `restart`: the state is learned from the log each time. */
async function captureByLine(source: NativeSource, env: AgentEnv, restart: boolean): Promise<Captured> {
  const sink = new MemorySink();
  const lines = (await readFile(source.path, 'utf8')).split('\n').slice(0, -1);
  let cursor: Cursor | null = null;
  let captured: Captured | undefined;
  await writeFile(source.path, '');
  for (const line of lines) {
    await appendFile(source.path, `${line}\n`);
    captured = await captureSource(source, env, sink, cursor);
    cursor = captured.outcome.cursor;
    if (restart) cursor = JSON.parse(JSON.stringify(cursor)) as Cursor;
  }
  return captured!;
}

/** A log without what only the end of a capture writes, its numbers made those of the rest. */
function comparable({ events }: MemorySession): unknown[] {
  const kept = events.filter(
    ({ type, payload }) => !(type === 'meta' && (payload.key === 'leaf' || payload.key === 'warning')),
  );
  const numbers = new Map(kept.map(({ seq }, i) => [seq, i]));
  const numbered = (value: unknown): unknown =>
    Array.isArray(value) ? value.map((seq) => numbers.get(seq as number)) : value;
  return kept.map(({ parent_seq, refs, payload, ...event }) => ({
    ...event,
    seq: numbers.get(event.seq),
    parent_seq: parent_seq === null ? null : numbers.get(parent_seq),
    refs: refs.map((ref) => ref.replace(/^seq:(\d+)$/, (_, seq: string) => `seq:${numbers.get(Number(seq))}`)),
    payload: {
      ...payload,
      kept: numbered(payload.kept),
      edits: undefined,
      ...(payload.key === 'label' ? { value: undefined } : {}),
    },
  }));
}

async function eachSource(name: string, use: (source: NativeSource, env: AgentEnv) => Promise<void>): Promise<void> {
  await withHome(async (env) => {
    await loadFixture('pi', name, env.home);
    for (const source of (await discoverSessions(env)).sources) await use(source, env);
  });
}

describe('a session that grows', () => {
  for (const [how, restart] of [
    ['with the state at hand', false],
    ['after a restart each time', true],
  ] as const)
    for (const name of names)
      it(`${name}: comes to the same log, ${how}`, async () => {
        await eachSource(name, async (source, env) => {
          const whole = await captureSource(source, env);
          const grown = await captureByLine(source, env, restart);
          expect(comparable(grown)).toEqual(comparable(whole));
          const shown = (session: MemorySession) => modelView(session.events).map(({ origin, type }) => [type, origin]);
          expect(shown(grown)).toEqual(shown(whole));
          expect(grown.facts).toEqual(whole.facts);
        });
      });

  it('is not read again when nothing has changed', async () => {
    await eachSource('05-tree-branch-summary', async (source, env) => {
      const first = await captureSource(source, env);
      const events = first.events.length;
      const again = await captureSource(source, env, first.sink, first.outcome.cursor);
      expect(again.outcome.records).toBe(0);
      expect(again.events.length).toBe(events);
    });
  });
});

describe('a session that was cut or replaced', () => {
  it('keeps what was captured and goes on from where the file ends now', async () => {
    await eachSource('06-fork-clone', async (source, env) => {
      const lines = (await readFile(source.path, 'utf8')).split('\n').slice(0, -1);
      if (lines[0]!.includes('parentSession')) return;
      const first = await captureSource(source, env);
      const events = first.events.length;
      const prompt = lines.findLastIndex((line) => line.includes('"role":"user"'));
      await writeFile(source.path, `${lines.slice(0, prompt).join('\n')}\n`);
      const cut = await captureSource(source, env, first.sink, first.outcome.cursor);
      expect(cut.outcome.warnings.map(({ about }) => about)).toEqual(['source-truncated']);
      expect(told(cut.outcome)).toBe(cut.outcome.records);
      expect(cut.events.length).toBe(events + 1);
      expect(cut.events.at(-1)?.payload.key).toBe('leaf');
      const last = JSON.parse(lines[prompt - 1]!) as { id: string };
      expect(modelView(cut.events).at(-1)?.origin?.native_id).toBe(last.id);
      await writeFile(source.path, `${lines.join('\n')}\n`);
      const back = await captureSource(source, env, cut.sink, cut.outcome.cursor);
      const said = (session: MemorySession) => session.events.filter(({ type }) => type.startsWith('message.')).length;
      expect(said(back)).toBe(said(first));
    });
  });

  it('takes the records of another file with its name', async () => {
    await eachSource('06-fork-clone', async (source, env) => {
      const text = await readFile(source.path, 'utf8');
      const first = await captureSource(source, env);
      const known = first.events.length;
      const lines = text.split('\n').slice(0, -1);
      const last = JSON.parse(lines.at(-1)!) as { id: string };
      const more = { type: 'message', id: 'ffff0001', parentId: last.id, timestamp: '2026-11-29T14:00:00.000Z' };
      const message = { role: 'user', content: [{ type: 'text', text: 'and one more' }], timestamp: 1 };
      const header = JSON.stringify({ ...(JSON.parse(lines[0]!) as object), note: 'rewritten' });
      await writeFile(source.path, `${[header, ...lines.slice(1), JSON.stringify({ ...more, message })].join('\n')}\n`);
      const again = await captureSource(source, env, first.sink, first.outcome.cursor);
      expect(again.outcome.declared).toEqual({ 'captured already': lines.length });
      expect(again.events.length).toBe(known + 1);
      expect(again.events.at(-1)?.parent_seq).toBeLessThan(known);
    });
  });
});
