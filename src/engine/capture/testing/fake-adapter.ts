import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type {
  AgentEnv,
  CaptureOutcome,
  CaptureSink,
  Cursor,
  NativeSource,
  SessionAdapter,
  SessionSink,
} from '../../../../adapters/contract.ts';
import { fail, ok, type Result } from '../../../shared/errors.ts';
import type { EventDraft } from '../../../shared/events.ts';
import { databaseOf, databaseSource, openDatabase } from './fake-database.ts';

/**
 * An agent of tests. Its sessions are `<home>/.fake/<id>.jsonl`, one record a line:
 * `{"text": …}` an event, `{"text": …, "part": …}` an event of a session within, `{"bytes": n}` an artifact,
 * `{"parent": …}` what the session hangs on, `{"title": …}` a fact, `{"fail": …}` ends the capture with an error,
 * `{"hog": n}` takes n MB of heap while it is read.
 */
interface FakeRecord {
  text?: string;
  part?: string;
  bytes?: number;
  parent?: string;
  title?: string;
  fail?: string;
  lose?: boolean;
  hog?: number;
}

const folder = (env: AgentEnv): string => join(env.home, '.fake');

export const fakeAdapter: SessionAdapter = {
  id: 'claude',
  label: 'Fake',
  verified: { versions: ['1'], on: '2026-11-29' },
  discover: async (env) => {
    const root = folder(env);
    const exists = existsSync(root);
    const names = exists ? readdirSync(root).filter((name) => name.endsWith('.jsonl')) : [];
    return {
      roots: [{ agent: 'claude', path: root, exists }],
      sources: [...names.map((name) => sourceAt(join(root, name))), ...(await databaseSource(databaseOf(env)))],
      warnings: [],
    };
  },
  recognise: async (path) => {
    if (path.endsWith('.jsonl')) return ok(sourceAt(path));
    const [database] = path.includes('sessions.db') ? await databaseSource(path.replace(/-wal$/, '')) : [];
    return database ? ok(database) : fail('not_a_session', `${path} is no fake session.`);
  },
  capture,
  openDatabase,
  resume: () => ({ argv: [], cwd: null, text: '' }),
  installed: async () => null,
};

function sourceAt(path: string): NativeSource {
  const { size, mtimeMs } = statSync(path);
  const native_id = (path.split('/').at(-1) as string).replace('.jsonl', '');
  return { agent: 'claude', path, native_id, bytes: size, mtime_ms: mtimeMs };
}

/** Number of the last event, kept on the cursor while a session is active. */
const states = new WeakMap<Cursor, { restored: boolean; last: number }>();

async function capture(
  source: NativeSource,
  cursor: Cursor | null,
  sink: CaptureSink,
): Promise<Result<CaptureOutcome>> {
  const text = readFileSync(source.path, 'utf8');
  const from = (cursor?.offset as number | undefined) ?? 0;
  const lines = text.slice(from).split('\n');
  const pending = lines.pop() as string;
  const records = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as FakeRecord);
  const parent = records.find((record) => record.parent !== undefined)?.parent;
  const ref = { native_id: source.native_id };
  const main = sink.session(parent === undefined ? ref : { ...ref, parent: { kind: 'subagent', native_id: parent } });
  let state = cursor === null ? { restored: false, last: -1 } : states.get(cursor);
  if (state === undefined) {
    state = { restored: true, last: -1 };
    for await (const event of main.stored()) state.last = event.seq;
  }
  for (const record of records) {
    if (record.fail !== undefined) return fail('source_unreadable', record.fail);
    if (record.lose === true) continue;
    if (record.hog !== undefined) hoard(record.hog);
    const into = record.part === undefined ? main : sink.session({ native_id: source.native_id, part: record.part });
    state.last = map(record, into, sink, into === main ? state.last : -1);
    await sink.drain();
  }
  const next = { offset: text.length - pending.length };
  states.set(next, state);
  const lost = records.filter((record) => record.lose === true).length;
  return ok({
    cursor: next,
    records: records.length,
    mapped: records.length - lost,
    unknown: {},
    declared: {},
    unreadable: 0,
    redactions: {},
    warnings: [],
  });
}

/** Takes so many MB of heap, and lets go of them. */
function hoard(megabytes: number): void {
  const kept: number[][] = [];
  for (let i = 0; i < megabytes * 128; i++) kept.push(new Array<number>(1024).fill(i));
}

function map(record: FakeRecord, into: SessionSink, sink: CaptureSink, last: number): number {
  if (record.title !== undefined) into.facts({ title: record.title, title_from: 'user' });
  const parent_seq = last < 0 ? null : last;
  const content: Record<string, unknown>[] = [{ kind: 'text', text: record.text ?? '' }];
  if (record.bytes !== undefined) {
    const bytes = new Uint8Array(record.bytes).fill(1);
    const artifact = sink.artifact(bytes, 'application/octet-stream');
    content.push({ kind: 'document', media_type: 'application/octet-stream', artifact, bytes: record.bytes });
  }
  const draft: EventDraft = {
    ts: 1_780_000_000 + into.next,
    agent: 'claude',
    actor: 'user',
    type: 'message.user',
    level: 2,
    payload: { content, via: 'prompt' },
    refs: [],
    parent_seq,
    origin: { agent: 'claude', native_id: null, native_seq: into.next },
  };
  return into.event(draft);
}
