import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFixture } from '../../fixtures/load.ts';
import { unwrap } from '../../src/shared/errors.ts';
import type { SessionEvent } from '../../src/shared/events.ts';
import type { CaptureOutcome, Cursor, NativeSource } from '../contract.ts';
import { type MemorySession, MemorySink } from '../testing/memory-sink.ts';
import { modelView } from '../testing/model-view.ts';
import { PROPERTY_MS, propertyRuns } from '../testing/property-runs.ts';
import { cursor as adapter } from './adapter.ts';

const COMPOSER = '98251e54-8aed-4515-b2b4-08895453eedd';
const KEY = new Uint8Array(32).fill(7);
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cursor-test-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

interface Known {
  database: Cursor | null;
  sessions: Map<string, Cursor>;
  sinks: Map<string, MemorySink>;
}
const nothing = (): Known => ({ database: null, sessions: new Map(), sinks: new Map() });

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0);

/** Captures what is new in all databases; the answer names the sessions that were read. */
async function capture(known: Known): Promise<{ read: string[]; outcomes: CaptureOutcome[] }> {
  const options = { env: { home, env: {} }, redactionKey: KEY };
  const read: string[] = [];
  const outcomes: CaptureOutcome[] = [];
  for (const source of (await adapter.discover(options.env)).sources) {
    const open = unwrap(await adapter.openDatabase!(source, known.database, options));
    for (const one of open.changed) {
      const sink = known.sinks.get(one.path) ?? new MemorySink();
      const outcome = unwrap(await open.capture(one, known.sessions.get(one.path) ?? null, sink, options));
      expect(outcome.mapped + sum(outcome.unknown) + sum(outcome.declared) + outcome.unreadable).toBe(outcome.records);
      known.sinks.set(one.path, sink);
      known.sessions.set(one.path, JSON.parse(JSON.stringify(outcome.cursor)) as Cursor);
      read.push(one.native_id);
      outcomes.push(outcome);
    }
    known.database = open.cursor;
    await open.close();
  }
  return { read, outcomes };
}

function session(known: Known, id: string): MemorySession {
  for (const [path, sink] of known.sinks) if (path.endsWith(`#${id}`)) return [...sink.sessions.values()][0]!;
  throw new Error(`no session ${id}`);
}

const talk = (events: readonly SessionEvent[]): string[] =>
  events.flatMap(({ type, payload }) => {
    const text =
      payload.text ?? (payload.content as { text?: string }[] | undefined)?.map((block) => block.text).join('|');
    if (type === 'tool.call') return [`call ${String(payload.name)} ${JSON.stringify(payload.arguments)}`];
    const kind = {
      'message.user': 'user',
      'message.assistant': 'assistant',
      'message.thinking': 'thinking',
      'message.system': 'note',
      'tool.result': 'result',
    }[type as string];
    return kind === undefined ? [] : [`${kind} ${String(text)}`];
  });

const editor = (): string => join(home, '.config/Cursor/User/globalStorage/state.vscdb');

function change(path: string, statement: string, ...values: unknown[]): void {
  const db = new Database(path);
  db.pragma('synchronous = OFF');
  db.prepare(statement).run(...values);
  db.close();
}

const put = (key: string, value: unknown): void =>
  change(
    editor(),
    'INSERT OR REPLACE INTO cursorDiskKV(key, value) VALUES (?, ?)',
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  );

describe('the editor', () => {
  it('has its conversations in one database, without the empty ones', async () => {
    await loadFixture('cursor', 'editor', home);
    const known = nothing();
    const { read, outcomes } = await capture(known);
    expect(read.sort()).toEqual(['11111111-1111-4111-8111-111111111111', COMPOSER]);
    const { events, facts } = session(known, COMPOSER);
    expect(talk(events)).toEqual([
      'user Rename foo to bar 把 foo 改名',
      'thinking I should grep first.',
      'call grep_search {"query":"foo"}',
      'result {"matches":["a.py:1:foo"]}',
      'call run_terminal_cmd {"command":"exit 3"}',
      'result {"clientVisibleErrorMessage":"exit code 3"}',
      'assistant Renamed in one file.',
    ]);
    expect(facts).toEqual({
      title: 'Rename foo',
      title_from: 'agent',
      cwd: '/home/dev/proj',
      cwd_last: '/home/dev/proj',
      model: 'claude-4.5-sonnet-thinking',
    });
    expect(
      events.filter(({ type }) => type === 'tool.result').map(({ payload }) => [payload.is_error, payload.exit_code]),
    ).toEqual([
      [false, undefined],
      [true, 3],
    ]);
    expect(events.find(({ payload }) => payload.key === 'usage')?.payload.value).toMatchObject({
      input: 1200,
      output: 80,
    });
    expect(events.find(({ type }) => type === 'command.run')?.payload).toMatchObject({ cmd: 'exit 3', exit_code: 3 });
    expect(talk(session(known, '11111111-1111-4111-8111-111111111111').events)).toEqual(['user hi', 'assistant hello']);
    expect(outcomes.every(({ unreadable, unknown }) => unreadable === 0 && sum(unknown) === 0)).toBe(true);
  });

  it('leaves nothing beside its database, and is not read when nothing changed', async () => {
    await loadFixture('cursor', 'editor', home);
    const known = nothing();
    await capture(known);
    expect(readdirSync(join(editor(), '..'))).toEqual(['state.vscdb']);
    expect((await capture(known)).read).toEqual([]);
  });

  it('changes rows in place: what is new is added, what changed stands beside what it was', async () => {
    await loadFixture('cursor', 'editor', home);
    const known = nothing();
    await capture(known);
    const composer = {
      _v: 10,
      composerId: COMPOSER,
      name: 'Renamed',
      createdAt: 1_779_271_200_000,
      fullConversationHeadersOnly: [1, 2, 3, 4, 5].map((n) => ({
        bubbleId: `b${n}000000-0000-4000-8000-00000000000${n}`,
      })),
    };
    put(`bubbleId:${COMPOSER}:b6`, { type: 1, text: 'Thanks.' });
    put(`bubbleId:${COMPOSER}:b7`, {
      type: 2,
      text: '',
      toolFormerData: { toolCallId: 't3', name: 'read_file', status: 'loading', rawArgs: '{"target_file":"a.py"}' },
    });
    const headers = [...composer.fullConversationHeadersOnly, { bubbleId: 'b6' }, { bubbleId: 'b7' }];
    put(`composerData:${COMPOSER}`, { ...composer, fullConversationHeadersOnly: headers });
    expect((await capture(known)).read).toEqual([COMPOSER]);
    const now = session(known, COMPOSER);
    expect(talk(now.events).slice(7)).toEqual(['user Thanks.', 'call read_file {"target_file":"a.py"}']);
    put(`bubbleId:${COMPOSER}:b7`, {
      type: 2,
      text: '',
      toolFormerData: {
        toolCallId: 't3',
        name: 'read_file',
        status: 'completed',
        rawArgs: '{"target_file":"a.py"}',
        result: 'bar',
      },
    });
    await capture(known);
    expect(talk(now.events).slice(9)).toEqual(['result bar']);
    expect(now.events.find(({ type }) => type === 'file.read')?.payload).toEqual({ path: 'a.py' });
    put(`bubbleId:${COMPOSER}:b6`, { type: 1, text: 'No, undo it.' });
    put(`composerData:${COMPOSER}`, { ...composer, fullConversationHeadersOnly: headers.slice(0, -1) });
    await capture(known);
    expect(talk(modelView(now.events)).slice(-2)).toEqual(['assistant Renamed in one file.', 'user No, undo it.']);
    put(`composerData:${COMPOSER}`, composer);
    await capture(known);
    expect(talk(modelView(now.events)).at(-1)).toBe('assistant Renamed in one file.');
    expect(talk(now.events)).toContain('user Thanks.');
    expect(now.facts.title).toBe('Renamed');
  });

  it('tells what is missing or unknown', async () => {
    await loadFixture('cursor', 'editor', home);
    change(editor(), 'DELETE FROM cursorDiskKV WHERE key LIKE ?', '%b2000000%');
    put(`bubbleId:${COMPOSER}:b4000000-0000-4000-8000-000000000004`, 'no json');
    put(`bubbleId:${COMPOSER}:b5000000-0000-4000-8000-000000000005`, { type: 9, text: 'new' });
    const known = nothing();
    const { outcomes } = await capture(known);
    expect(session(known, COMPOSER).warnings.map(({ about }) => about)).toEqual(['history-missing', 'malformed-line']);
    expect(outcomes.find(({ unreadable }) => unreadable === 1)?.unknown).toEqual({ 'bubble type 9': 1 });
  });

  it('keeps sub-agents under their conversation, and archived ones marked', async () => {
    await loadFixture('cursor', 'editor', home);
    put('composerData:child', {
      composerId: 'child',
      isArchived: true,
      conversation: [{ type: 1, bubbleId: 'c1', text: 'find it' }],
    });
    put('composerData:mother', {
      composerId: 'mother',
      subComposerIds: ['child'],
      conversation: [{ type: 1, bubbleId: 'm1', text: 'go' }],
    });
    const options = { env: { home, env: {} }, redactionKey: KEY };
    const [source] = (await adapter.discover(options.env)).sources;
    const open = unwrap(await adapter.openDatabase!(source!, null, { ...options, only: `${source!.path}#child` }));
    expect(open.changed).toMatchObject([
      { native_id: 'child', archived: true, parent: { kind: 'subagent', native_id: 'mother' } },
    ]);
    await open.close();
  });

  it('holds no secret in what is captured, also inside of arguments', async () => {
    await loadFixture('cursor', 'editor', home);
    const secret = ['ghp', 'a1B2'.repeat(9)].join('_');
    put(`bubbleId:${COMPOSER}:b1000000-0000-4000-8000-000000000001`, { type: 1, text: `use ${secret}` });
    put(`bubbleId:${COMPOSER}:b3000000-0000-4000-8000-000000000003`, {
      type: 2,
      toolFormerData: {
        toolCallId: 't',
        name: 'x',
        rawArgs: JSON.stringify({ token: secret }),
        result: secret,
        status: 'completed',
      },
    });
    const known = nothing();
    const { outcomes } = await capture(known);
    expect(JSON.stringify(session(known, COMPOSER))).not.toContain(secret);
    expect(outcomes.some(({ redactions }) => sum(redactions) >= 3)).toBe(true);
  });

  it(
    'survives rows of any shape',
    async () => {
      await loadFixture('cursor', 'editor', home);
      const any = fc.jsonValue({ maxDepth: 2 });
      const bubble = fc.record(
        {
          type: fc.oneof(fc.constantFrom(1, 2), any),
          text: any,
          thinking: fc.oneof(any, fc.record({ text: any })),
          toolFormerData: fc.oneof(
            any,
            fc.record({ toolCallId: any, name: any, rawArgs: any, result: any, error: any, status: any }),
          ),
          createdAt: any,
          tokenCount: any,
          workspaceUris: any,
        },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(bubble, { minLength: 1, maxLength: 4 }),
          fc.dictionary(fc.string(), any),
          async (bubbles, more) => {
            put(`composerData:${COMPOSER}`, {
              ...more,
              fullConversationHeadersOnly: bubbles.map((_, n) => ({ bubbleId: `x${n}` })),
            });
            for (const [n, value] of bubbles.entries()) put(`bubbleId:${COMPOSER}:x${n}`, value);
            const known = nothing();
            await capture(known);
            await capture(known);
          },
        ),
        propertyRuns(15, 401),
      );
    },
    PROPERTY_MS,
  );
});

describe('cursor-agent', () => {
  const ID = 'ac437fdf-3e7e-4a54-98a4-7bb04fd3efc6';
  it('has a database for each session, whose newest root lists the messages', async () => {
    await loadFixture('cursor', 'terminal', home);
    const known = nothing();
    expect((await capture(known)).read).toEqual([ID]);
    const { events, facts } = session(known, ID);
    expect(talk(events)).toEqual([
      'note (system prompt)',
      expect.stringContaining('note <user_info>'),
      'user List files 列出文件',
      'thinking Use ls.',
      'call Shell {"command":"ls","description":"list"}',
      expect.stringContaining('result Exit code: 0'),
      'assistant One file: README.md',
    ]);
    expect(facts).toMatchObject({ title: 'List files', cwd: '/home/dev/proj', model: 'claude-4.5-opus-high-thinking' });
    expect(talk(modelView(events))[0]).toBe('user List files 列出文件');
    expect((await capture(known)).read).toEqual([]);
  });

  it('does not know the folder where its hash is another', async () => {
    await loadFixture('cursor', 'terminal', home);
    const from = join(home, '.cursor/chats/2b8c70fb72d8a087e5dee109778f74cf');
    const { renameSync } = await import('node:fs');
    renameSync(from, join(home, '.cursor/chats/00000000000000000000000000000000'));
    const known = nothing();
    await capture(known);
    expect(session(known, ID).facts.cwd).toBeUndefined();
  });

  it('is not taken for a session where the file is another database, or none', async () => {
    const options = { env: { home, env: {} }, redactionKey: KEY };
    const path = join(home, 'store.db');
    writeFileSync(path, 'no database at all');
    const source = unwrap(await adapter.recognise(path, options.env)) as NativeSource;
    expect(source.database).toBe(true);
    expect(await adapter.openDatabase!(source, null, options)).toMatchObject({
      ok: false,
      error: { code: 'not_a_session' },
    });
    rmSync(path);
    const db = new Database(path);
    db.exec('CREATE TABLE other(x)');
    db.close();
    expect(await adapter.openDatabase!(source, null, options)).toMatchObject({
      ok: false,
      error: { code: 'not_a_session' },
    });
    expect(await adapter.recognise(join(home, 'x.db'), options.env)).toMatchObject({
      ok: false,
      error: { code: 'not_a_session' },
    });
  });
});

describe('the command to go on', () => {
  const env = { home: '/home/dev', env: {} };
  it('names the session of cursor-agent, and the folder for the editor', () => {
    expect(adapter.resume({ native_id: 'x', cwd: '/p', source: '/c/store.db#x' }, env).argv).toEqual([
      'cursor-agent',
      '--resume=x',
    ]);
    expect(adapter.resume({ native_id: 'x', cwd: '/p', source: '/c/state.vscdb#x' }, env).argv).toEqual([
      'cursor',
      '/p',
    ]);
  });
});
