import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwrap } from '../../src/shared/errors.ts';
import type { SessionEvent } from '../../src/shared/events.ts';
import type { SessionRow } from '../../src/shared/session.ts';
import type { AgentEnv, MaterializeOptions, NativeSource, SessionAdapter, WholeSession, Written } from '../contract.ts';
import { type Move, moveOf } from '../home/move.ts';
import { type MemorySession, MemorySink } from './memory-sink.ts';
import { TestSession } from './session.ts';

/** Sessions of one source, as they were captured. */
export interface Origin {
  source: NativeSource;
  session: WholeSession;
}

/** Native records that belong to a session, in order, as values: what its files or rows hold. */
export type RecordsOf = (path: string) => unknown[] | Promise<unknown[]>;

export interface WayHome {
  adapter: SessionAdapter;
  records: RecordsOf;
  /** makes the empty home that sessions come to, where the agent needs more than a folder */
  prepare?(home: string): Promise<void>;
  /** sessions that have no records of their own are left out */
  takes?(row: SessionRow): boolean;
  /** the native record after a move, said by the test itself */
  moved(record: unknown, move: Move): unknown;
}

/** Captures all that a home holds, each source into a sink of its own. */
export async function captureOrigins(adapter: SessionAdapter, env: AgentEnv): Promise<Origin[]> {
  const options = { env, redactionKey: new Uint8Array(32).fill(7) };
  const origins: Origin[] = [];
  const take = async (source: NativeSource, capture: SessionAdapter['capture']): Promise<void> => {
    const sink = new MemorySink();
    unwrap(await capture(source, null, sink, options));
    const sessions = [...sink.sessions.values()];
    if (sessions.length === 0) return;
    const session = wholeOf(source, sessions, sink, adapter.id);
    origins.push({ source, session });
  };
  for (const source of (await adapter.discover(env)).sources) {
    if (source.database !== true) {
      await take(source, adapter.capture.bind(adapter));
      continue;
    }
    const open = unwrap(await adapter.openDatabase!(source, null, options));
    for (const one of open.changed) await take(one, open.capture);
    await open.close();
  }
  return origins;
}

function wholeOf(source: NativeSource, sessions: MemorySession[], sink: MemorySink, agent: string): WholeSession {
  const [own] = sessions as [MemorySession];
  const parent = own.ref.parent ?? source.parent;
  const started = own.events.find(({ ts }) => ts !== null)?.ts ?? null;
  const row = {
    ...new TestSession(agent).source().row,
    native_id: own.ref.native_id,
    source: source.path,
    cwd: own.facts.cwd ?? null,
    started_at: started,
    last_activity: started,
    parent_kind: parent?.kind ?? null,
  };
  const logs = (): AsyncIterable<SessionEvent>[] =>
    sessions.map(({ events }) => ({
      async *[Symbol.asyncIterator]() {
        yield* events;
      },
    }));
  return { row, artifact: sink.read, logs };
}

/** Writes a session below another home, reads it back, puts it in place and reads it back there. */
export async function bringHome(
  { target }: SessionAdapter,
  session: WholeSession,
  env: AgentEnv,
  changes: Partial<Pick<MaterializeOptions, 'nativeId' | 'cwd'>> = {},
): Promise<Written & { options: MaterializeOptions }> {
  const { row } = session;
  const options: MaterializeOptions = {
    env,
    nativeId: row.native_id,
    title: 'A title',
    cwd: row.cwd ?? '/home/dev/unknown',
    version: null,
    at: row.started_at ?? 1_790_000_000,
    tokens: 0,
    ...changes,
  };
  const home = target!.home!;
  const written = unwrap(await home.write(session, options));
  unwrap(await home.readBack(written, session, options, 'temp'));
  unwrap(await written.commit());
  unwrap(await home.readBack(written, session, options, 'final'));
  return { ...written, options };
}

/** What a session held and what stands in its place now, for a test to compare. */
export interface Returned {
  path: string;
  native: unknown[];
  written: unknown[];
}

/**
 * Brings all sessions of a home, laid out by `lay`, into an empty folder, sub-agents with their parents. A session that gets another id
 * goes alone, as in the product.
 */
export async function bringAllHome(
  { adapter, records, moved, prepare, takes }: WayHome,
  lay: (home: string) => Promise<unknown>,
  changes: { nativeId?: (id: string) => string; cwd?: string } = {},
): Promise<Returned[]> {
  const base = await mkdtemp(join(tmpdir(), 'way-home-'));
  const envOf = (folder: string): AgentEnv => ({ home: join(base, folder), env: { PATH: '' } });
  try {
    await lay(join(base, 'from'));
    await prepare?.(join(base, 'to'));
    const returned: Returned[] = [];
    const paths = new Map<string, { native_id: string; path: string }>();
    const all = await captureOrigins(adapter, envOf('from'));
    const origins = all.filter(({ session }) => takes?.(session.row) !== false);
    for (const { source, session } of parentsFirst(origins)) {
      const parent = session.row.parent_kind === 'subagent' ? source.parent?.native_id : undefined;
      const within = parent === undefined ? undefined : paths.get(parent);
      if (changes.nativeId !== undefined && session.row.parent_kind === 'subagent') continue;
      const { native_id, cwd } = session.row;
      const own = {
        nativeId: changes.nativeId?.(native_id) ?? native_id,
        cwd: (cwd === null ? null : changes.cwd) ?? cwd ?? '/home/dev/unknown',
      };
      const whole = within === undefined ? session : { ...session, within };
      const written = await bringHome(adapter, whole, envOf('to'), own);
      paths.set(native_id, { native_id, path: written.final });
      const move = moveOf(session, written.options);
      returned.push({
        path: source.path,
        native: (await records(source.path)).map((record) => moved(record, move)),
        written: await records(written.final),
      });
    }
    return returned;
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

const parentsFirst = (origins: Origin[]): Origin[] => [
  ...origins.filter(({ session }) => session.row.parent_kind !== 'subagent'),
  ...origins.filter(({ session }) => session.row.parent_kind === 'subagent'),
];

const PLACEHOLDER = /\[REDACTED:[^\]]*\]/;

/** Equal outside what stands in the place of a secret. */
export function sameOutsideRedactions(found: unknown, native: unknown): boolean {
  if (typeof found === 'string' && typeof native === 'string') return found === native || sameText(found, native);
  if (typeof found !== 'object' || typeof native !== 'object' || found === null || native === null)
    return Object.is(found, native);
  const [a, b] = [found as Record<string, unknown>, native as Record<string, unknown>];
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => sameOutsideRedactions(a[key], b[key]))
  );
}

function sameText(found: string, native: string): boolean {
  const pieces = found.split(PLACEHOLDER);
  if (pieces.length < 2) return false;
  const last = pieces.pop()!;
  if (!native.startsWith(pieces[0]!) || !native.endsWith(last)) return false;
  let at = 0;
  for (const piece of pieces) {
    at = native.indexOf(piece, at);
    if (at < 0) return false;
    at += piece.length;
  }
  return at <= native.length - last.length;
}
