import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../src/shared/errors.ts';
import type { MaterializeOptions, Written } from '../contract.ts';
import { MemorySink } from '../testing/memory-sink.ts';
import { TestSession } from '../testing/session.ts';
import { captureThread } from './read/capture.ts';
import { recogniseRollout } from './read/discover.ts';
import { modelLines } from './read/model-lines.ts';
import { readBackRollout } from './readback.ts';
import { itemsOf, type Line, linesOf, tempHome, writeOptions } from './testing/home.ts';
import { LARGEST_COPY } from './whole-outputs.ts';
import { Rollout } from './write/rollout.ts';
import { writeRollout } from './write/write.ts';

let home: ReturnType<typeof tempHome>;
beforeEach(() => {
  home = tempHome();
});
afterEach(() => home.dispose());

/** Not ASCII, so that bytes and characters differ. */
function session(outputBytes: number): TestSession {
  const made = new TestSession();
  made.user('Read it.');
  made.call('r1', 'a');
  made.result('a', 'é'.repeat(outputBytes / 2));
  made.reply('r2', 'Read.');
  return made;
}

async function write(from: TestSession, more: Partial<MaterializeOptions> = {}): Promise<Written> {
  return unwrap(await writeRollout(from.source(), writeOptions(home.env, more)));
}

const copies = (lines: Line[]): Line[] => lines.filter(({ type }) => type === 'compacted');

function readBack(path: string, from: TestSession): ReturnType<typeof readBackRollout> {
  return readBackRollout({ temp: path, final: path }, from.source(), writeOptions(home.env), 'temp');
}

describe('a session with a long output', () => {
  for (const version of ['0.171.0', '0.144.6']) {
    it(`repeats all items in one line before the token count (${version})`, async () => {
      const { temp } = await write(session(10_002), { version, preface: 'Earlier.' });
      const lines = linesOf(temp);
      expect(copies(lines).map(({ payload }) => payload)).toEqual([
        { message: '', replacement_history: itemsOf(temp), sessionctl: 'whole_outputs' },
      ]);
      expect(itemsOf(temp)).toHaveLength(5);
      const at = lines.findIndex(({ type }) => type === 'compacted');
      expect(lines.slice(at + 1).map(({ payload }) => payload.type)).toEqual(['token_count', 'task_complete']);
      if (version === '0.171.0') expect(lines.map(({ ordinal }) => ordinal)).toEqual(lines.map((_, i) => i));
    });
  }

  it('is written without that line while every output is short enough', async () => {
    expect(copies(linesOf((await write(session(10_000))).temp))).toEqual([]);
  });

  it('is the same bytes when written again', async () => {
    const first = await write(session(90_000));
    await first.abort();
    expect((await write(session(90_000))).sha256).toBe(first.sha256);
  });

  it('is captured as what it is without that line, which is declared', async () => {
    const written = await write(session(90_000));
    unwrap(await written.commit());
    const capture = async () => {
      const sink = new MemorySink();
      const source = unwrap(await recogniseRollout(written.final, home.env));
      const outcome = unwrap(
        await captureThread(source, null, sink, { env: home.env, redactionKey: new Uint8Array(32) }),
      );
      const events = [...sink.sessions.values()][0]!.events
        .filter(({ payload }) => payload.key !== 'records')
        .map(({ type, payload }) => ({ type, payload }));
      return { outcome, events };
    };
    const { outcome, events } = await capture();
    writeFileSync(written.final, readFileSync(written.final, 'utf8').replace(/^.*"type":"compacted".*\n/m, ''));
    const without = await capture();
    expect(events).toEqual(without.events);
    expect(outcome).toMatchObject({ mapped: without.outcome.mapped, unknown: {}, unreadable: 0 });
    expect(outcome.declared).toEqual({ ...without.outcome.declared, 'handed-over items again': 1 });
    expect(outcome.records).toBe(without.outcome.records + 1);
  });
});

describe('reading back a session with a long output', () => {
  it('accepts what was written, also where the line is longer than what is read at a time', async () => {
    for (const bytes of [10_002, 3_000_000]) {
      const from = session(bytes);
      const written = await write(from);
      expect(await readBack(written.temp, from)).toEqual({ ok: true, value: { items: 4 } });
      await written.abort();
    }
  });

  const damage: Record<string, (line: string) => string> = {
    'is missing': () => '',
    'says something else': (line) => line.replace('Read it.', 'Read on.'),
    'lacks an item': (line) => line.replace(/\{"type":"function_call",.*?"call_id":"a"\},/, ''),
    'lacks its mark': (line) => line.replace('"sessionctl":', '"other":'),
    'is not whole': (line) => line.slice(0, -9),
  };
  for (const [what, change] of Object.entries(damage)) {
    it(`finds that the line ${what}`, async () => {
      const from = session(90_000);
      const { temp } = await write(from);
      const text = readFileSync(temp, 'utf8');
      const changed = text.replace(/^.*"type":"compacted".*\n/m, change);
      expect(changed).not.toBe(text);
      writeFileSync(temp, changed);
      expect(await readBack(temp, from)).toMatchObject({ ok: false, error: { code: 'readback_mismatch' } });
    });
  }

  it('hashes the line without holding it, and sees when it is torn', async () => {
    const { temp } = await write(session(3_000_000));
    const found = [...modelLines(temp)].filter(({ compaction }) => compaction !== undefined);
    expect(found).toMatchObject([
      { text: '', compaction: { head: expect.stringMatching(/"replacement_history":\[$/) } },
    ]);
    appendFileSync(temp, '{"timestamp":"2026-11-29T13:46:40.000Z","ordinal":99,"type":"compacted","payload":{');
    expect([...modelLines(temp)].at(-1)).toMatchObject({ text: null });
  });
});

describe('a conversation that is too large to be repeated', () => {
  it('is written without the line, with a warning', () => {
    const warnings: string[] = [];
    const from = session(20_000);
    const options = {
      threadId: 't',
      cwd: '/home/dev/project',
      at: 1,
      cliVersion: '0.171.0',
      provider: 'openai',
      gitBranch: null,
      paginated: true,
      tokens: 1,
      contextWindow: 1,
    };
    const rollout = new Rollout(
      options,
      1,
      () => {},
      ({ about }) => warnings.push(about),
    );
    const [prompt, call, result] = from.events;
    rollout.step({ kind: 'prompt', event: prompt! }, new Map());
    rollout.step({ kind: 'output', id: 'a', call: call!, result: result! }, new Map());
    expect(rollout.replay('/nowhere')).not.toBeNull();
    const huge = from.user('x'.repeat(LARGEST_COPY));
    rollout.step({ kind: 'prompt', event: huge }, new Map());
    expect(rollout.replay('/nowhere')).toBeNull();
    expect(warnings).toEqual(['outputs-cut']);
  });
});
