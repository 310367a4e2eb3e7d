import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFixture } from '../../fixtures/load.ts';
import { unwrap } from '../../src/shared/errors.ts';
import type { SessionEvent } from '../../src/shared/events.ts';
import type { CaptureOutcome, Cursor, NativeSource } from '../contract.ts';
import { MemorySink } from '../testing/memory-sink.ts';
import { PROPERTY_MS, propertyRuns } from '../testing/property-runs.ts';
import { aider } from './adapter.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'aider-test-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const env = (more: Record<string, string> = {}) => ({ home, env: { PATH: '', ...more } });

async function capture(
  source: NativeSource,
  sink = new MemorySink(),
  cursor: Cursor | null = null,
): Promise<{ sink: MemorySink; outcome: CaptureOutcome }> {
  const outcome = unwrap(await aider.capture(source, cursor, sink, { env: env(), redactionKey: new Uint8Array(32) }));
  const declared = Object.values(outcome.declared).reduce((a, b) => a + b, 0);
  expect(outcome.mapped + declared).toBe(outcome.records);
  return { sink, outcome };
}

async function onlySource(): Promise<NativeSource> {
  const { sources } = await aider.discover(env());
  expect(sources).toHaveLength(1);
  return sources[0]!;
}

function history(text: string): string {
  const path = join(home, 'work/loom/.aider.chat.history.md');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const KINDS: Record<string, string> = {
  'message.user': 'user',
  'message.assistant': 'assistant',
  'message.system': 'tool',
};
const talk = (events: readonly SessionEvent[]): string[] =>
  events.flatMap(({ type, payload }) =>
    KINDS[type] === undefined ? [] : [`${KINDS[type]}: ${(payload.content as { text: string }[])[0]!.text}`],
  );

describe('a history', () => {
  it('has a session for each start, with the roles that Aider itself finds', async () => {
    await loadFixture('aider', 'basic', home);
    const { sink, outcome } = await capture(await onlySource());
    const [first, second] = [...sink.sessions.values()];
    expect([first?.ref, second?.ref]).toEqual([
      { native_id: '2026-05-20 10:11:12' },
      { native_id: '2026-05-21 09:00:00' },
    ]);
    expect(talk(first!.events)).toEqual([
      expect.stringMatching(/^tool: Aider v0\.86\.2\nMain model: claude-sonnet-4-5/),
      'user: Add a hello function to hello.py\nand keep it short.',
      expect.stringMatching(/^assistant: I'll add the function\.[\s\S]*你好[\s\S]*>>>>>>> REPLACE\n```$/),
      expect.stringMatching(/^tool: Tokens: 2\.1k sent[\s\S]*Commit 1a2b3c4/),
      'user: /ask 这个函数做什么?',
      expect.stringMatching(/^assistant: 它打印“你好”。[\s\S]*# A markdown heading[\s\S]*> a quoted line/),
    ]);
    expect(talk(second!.events).slice(1)).toEqual([
      'user: /run pytest -q',
      expect.stringContaining('3 passed in 0.02s'),
    ]);
    expect(first!.facts).toEqual({
      cwd: join(home, 'proj'),
      cwd_last: join(home, 'proj'),
      agent_version: '0.86.2',
      model: 'claude-sonnet-4-5',
    });
    const usage = first!.events.find(({ payload }) => payload.key === 'usage');
    expect(usage?.payload.value).toMatchObject({ input: 2100, output: 96, cost: 0.0077 });
    expect(first!.events[0]).toMatchObject({
      type: 'session.start',
      ts: new Date(2026, 4, 20, 10, 11, 12).getTime() / 1000,
    });
    expect(first!.events.slice(1).every(({ ts }) => ts === null)).toBe(true);
    expect(outcome.declared).toEqual({ 'blank prompt': 1 });
  });

  it('is captured as it grows, line by line, with nothing twice', async () => {
    await loadFixture('aider', 'basic', home);
    const source = await onlySource();
    const { sink: whole } = await capture(source);
    const lines = readFileSync(source.path, 'utf8').split(/(?<=\n)/);
    writeFileSync(source.path, '');
    const sink = new MemorySink();
    let cursor: Cursor | null = null;
    for (const line of lines) {
      appendFileSync(source.path, line.slice(0, -1));
      cursor = (await capture(source, sink, cursor)).outcome.cursor;
      appendFileSync(source.path, line.slice(-1));
      cursor = JSON.parse(JSON.stringify((await capture(source, sink, cursor)).outcome.cursor)) as Cursor;
    }
    const words = (from: MemorySink): string[][] =>
      [...from.sessions.values()].map(({ events }) => talk(events).join('\n').replaceAll(/\w+: /g, '').split(/\s+/));
    expect(words(sink)).toEqual(words(whole));
    expect([...sink.sessions.values()].map(({ facts }) => facts)).toEqual(
      [...whole.sessions.values()].map(({ facts }) => facts),
    );
  });

  it('of a start without a word is no session until something is said', async () => {
    const path = history('\n# aider chat started at 2026-05-20 10:11:12\n\n> Aider v0.86.2  \n');
    const source = await onlySource();
    const first = await capture(source);
    expect(first.sink.sessions.size).toBe(0);
    appendFileSync(path, '\n#### Hello  \n');
    const second = await capture(source, first.sink, first.outcome.cursor);
    expect(talk([...second.sink.sessions.values()][0]!.events)).toEqual(['tool: Aider v0.86.2', 'user: Hello']);
    appendFileSync(
      path,
      '\n# aider chat started at 2026-05-20 10:11:12\n\n# aider chat started at 2026-05-20 10:11:12\n\n#### Again  \n',
    );
    const third = await capture(source, second.sink, second.outcome.cursor);
    expect(third.outcome.declared).toEqual({ 'no-conversation': 1 });
    expect([...third.sink.sessions.values()].map(({ ref }) => ref.native_id)).toEqual([
      '2026-05-20 10:11:12',
      '2026-05-20 10:11:12 (3)',
    ]);
  });

  it('that was rewritten is told, and goes on behind it', async () => {
    const path = history('# aider chat started at 2026-05-20 10:11:12\n\n#### One  \n\nAnswer one.\n');
    const source = await onlySource();
    const { sink, outcome } = await capture(source);
    writeFileSync(path, '#### x  \n');
    const again = await capture(source, sink, outcome.cursor);
    expect(again.outcome.warnings).toMatchObject([{ about: 'source-truncated' }]);
    appendFileSync(path, '\nAnswer two.\n');
    await capture(source, sink, again.outcome.cursor);
    expect(talk([...sink.sessions.values()][0]!.events)).toEqual([
      'user: One',
      'assistant: Answer one.',
      'assistant: Answer two.',
    ]);
  });

  it(
    'without a start, or of any bytes, is read as far as it goes',
    async () => {
      history('#### No start  \n');
      const { sink } = await capture(await onlySource());
      expect([...sink.sessions.values()][0]!.warnings).toMatchObject([{ about: 'missing-header' }]);
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.oneof(fc.string(), fc.constantFrom('#### a  ', '> b  ', '# aider chat started at x', '')), {
            maxLength: 20,
          }),
          async (lines) => {
            history(lines.join('\n'));
            await capture(await onlySource());
          },
        ),
        propertyRuns(100, 301),
      );
    },
    PROPERTY_MS,
  );

  it('holds no secret in what is captured', async () => {
    const secret = ['ghp', 'a1B2'.repeat(9)].join('_');
    history(`# aider chat started at 2026-05-20 10:11:12\n\n#### use ${secret}  \n\nI used ${secret}.\n`);
    const { sink, outcome } = await capture(await onlySource());
    expect(JSON.stringify([...sink.sessions.values()])).not.toContain(secret);
    expect(Object.values(outcome.redactions)).toEqual([2]);
  });
});

describe('finding histories', () => {
  it('looks into projects below the home folder, and where the environment says', async () => {
    history('x');
    const elsewhere = join(home, 'notes.md');
    writeFileSync(elsewhere, 'x');
    mkdirSync(join(home, '.cache/p'), { recursive: true });
    writeFileSync(join(home, '.cache/p/.aider.chat.history.md'), 'x');
    const found = await aider.discover(env({ AIDER_CHAT_HISTORY_FILE: 'notes.md' }));
    expect(found.sources.map(({ path }) => path)).toEqual([elsewhere, join(home, 'work/loom/.aider.chat.history.md')]);
    expect(found.roots.every(({ flat }) => flat === true)).toBe(true);
    expect((await aider.discover({ home: join(home, 'nothing'), env: {} })).roots).toMatchObject([{ exists: false }]);
  });

  it('recognises a history by its name', async () => {
    expect(await aider.recognise(history('x'), env())).toMatchObject({ ok: true });
    expect(await aider.recognise(join(home, 'README.md'), env())).toMatchObject({
      ok: false,
      error: { code: 'not_a_session' },
    });
    expect(await aider.recognise(join(home, '.aider.chat.history.md'), env())).toMatchObject({
      ok: false,
      error: { code: 'source_unreadable' },
    });
  });
});
