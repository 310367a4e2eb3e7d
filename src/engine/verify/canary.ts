import { randomBytes } from 'node:crypto';
import { extname, join } from 'node:path';
import type {
  AgentEnv,
  CaptureOptions,
  CaptureOutcome,
  Discovery,
  NativeSource,
  SessionAdapter,
  SourceRoot,
} from '../../../adapters/contract.ts';
import { type FoundFile, walkFiles } from '../../../adapters/io/files.ts';
import { KNOWN_FIELDS } from '../../../adapters/known-fields.ts';
import type { Result } from '../../shared/errors.ts';
import { census, readFields, unseen } from './census.ts';
import type { Finding } from './finding.ts';
import { ThrowawaySink } from './throwaway-sink.ts';

/** So many of the newest sessions are tried, until one of them has something to say. */
const TRIES = 3;
/** Larger ones are passed over: a canary must be cheap. */
const MOST_BYTES = { file: 32 << 20, database: 256 << 20 };
/** Kinds of file in which an agent could keep sessions, and which it keeps beside them for nothing else. */
const SESSION_LIKE = new Set(['.jsonl', '.ndjson', '.db', '.sqlite', '.sqlite3', '.vscdb', '.zst']);
/** Files beside the sessions may be written a little later than those. */
const LATER_MS = 3_600_000;
const DEPTH = 5;

/** What became of one session that was tried. */
interface Tried {
  source: NativeSource;
  /** what was found by name: of a session in a database, the database */
  from: NativeSource;
  outcome: Result<CaptureOutcome>;
  conversation: number;
}

/**
 * Tells "nothing new" from "cannot read": reads the newest session of an agent as capture does, but keeps nothing, and looks
 * for files newer than all sessions that are none. Null = there is nothing to try. Writes nothing outside of the system's
 * temporary folder.
 */
export async function canary(
  adapter: SessionAdapter,
  env: AgentEnv,
  installed: string | null,
): Promise<Finding | null> {
  const found = await adapter.discover(env);
  const newest = found.sources.reduce((latest, { mtime_ms }) => Math.max(latest, mtime_ms), 0);
  const id = `canary:${adapter.id}`;
  const strange = await strangers(found, newest);
  if (strange !== null) return { id, ...foreign(adapter, strange, newest), fix: fix(adapter, installed) };
  if (found.sources.length === 0) return null;
  const tried = await tryNewest(adapter, env, found.sources);
  const said = verdict(adapter, tried, newest);
  if (said.level === 'warn') return { id, ...said, fix: fix(adapter, installed) };
  const fields = await newFields(adapter, tried);
  if (fields.length === 0) return { id, ...said };
  const text = `${said.text}; it has fields that were not there when sessionctl was checked: ${some(fields)}`;
  return { id, level: 'note', text };
}

/** Fields of the session that decided which no version had that the adapter was checked with, and which are not ours. */
async function newFields({ id, ownFields = [] }: SessionAdapter, tried: Tried[]): Promise<string[]> {
  const decided = tried.find(({ conversation }) => conversation > 0);
  const known = KNOWN_FIELDS[id];
  if (decided === undefined || known === undefined) return [];
  return unseen(await census(decided.from), readFields(known)).filter((field) => !ownFields.includes(field));
}

type Said = Pick<Finding, 'level' | 'text'>;

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function fix({ label, verified }: SessionAdapter, installed: string | null): string {
  const checked = `sessionctl was checked with ${verified.versions.join(', ')} on ${verified.on}`;
  const here = installed === null ? '' : `; ${label} ${installed} is installed`;
  return `The files stay as they are, and what was read before can still be used. ${checked}${here}. Look for a newer sessionctl, or report what this says`;
}

function foreign({ label }: SessionAdapter, { root, files, example }: Strangers, newest: number): Said {
  const since = newest === 0 ? 'no session was found' : `no session is newer than ${day(newest)}`;
  const which = files === 1 ? 'a newer file that is none' : `${files} newer files that are none`;
  return { level: 'warn', text: `${label}: ${since}, but ${root} holds ${which}, such as ${example}` };
}

/** The first session that says something decides. */
function verdict({ label }: SessionAdapter, tried: Tried[], newest: number): Said {
  const since = `${label}: nothing is newer than ${day(newest)}`;
  for (const { source, outcome, conversation } of tried) {
    if (!outcome.ok) return { level: 'warn', text: `${label} cannot be read: ${outcome.error.message}` };
    const { records, unreadable, unknown } = outcome.value;
    const strange = Object.values(unknown).reduce((sum, n) => sum + n, 0);
    const lost = strange + unreadable;
    const what = [
      ...(strange > 0 ? [`${strange} of ${records} records are of an unknown kind (${kinds(unknown)})`] : []),
      ...(unreadable > 0 ? [`${unreadable} of ${records} cannot be read at all`] : []),
    ].join(', ');
    if (conversation === 0 && lost > 0)
      return { level: 'warn', text: `${label} cannot be read: in the newest session ${what}: ${source.path}` };
    if (conversation === 0) continue;
    if (lost > 0) return { level: 'note', text: `${since}; in that session ${what}: ${source.path}` };
    return { level: 'ok', text: `${since}; that session reads in full: ${records} of ${records} records` };
  }
  if (tried.length === 0) return { level: 'note', text: `${since}; that session is too large to be tried here` };
  return { level: 'note', text: `${since}; the newest sessions hold no conversation yet` };
}

const SHOWN = 5;

function kinds(unknown: Record<string, number>): string {
  const all = Object.entries(unknown).sort(([, a], [, b]) => b - a);
  return some(all.map(([kind, n]) => `${kind.slice(0, 60)} ×${n}`));
}

const some = (all: string[]): string =>
  all.slice(0, SHOWN).join(', ') + (all.length > SHOWN ? ` and ${all.length - SHOWN} more` : '');

async function tryNewest(adapter: SessionAdapter, env: AgentEnv, sources: NativeSource[]): Promise<Tried[]> {
  const options = { env, redactionKey: randomBytes(32) };
  const tried: Tried[] = [];
  for (const source of newestFirst(sources)) {
    if (tried.length >= TRIES) break;
    if (source.bytes > MOST_BYTES[source.database === true ? 'database' : 'file']) continue;
    const one =
      source.database === true ? await tryDatabase(adapter, source, options) : await tryOne(adapter, source, options);
    tried.push(...one);
    if (one.some(({ outcome, conversation }) => !outcome.ok || conversation > 0)) break;
  }
  return tried;
}

const newestFirst = (sources: NativeSource[]): NativeSource[] => sources.toSorted((a, b) => b.mtime_ms - a.mtime_ms);

async function tryDatabase(adapter: SessionAdapter, source: NativeSource, options: CaptureOptions): Promise<Tried[]> {
  const opened = await adapter.openDatabase?.(source, null, options);
  if (opened === undefined) return [];
  if (!opened.ok) return [{ source, from: source, outcome: opened, conversation: 0 }];
  const { changed, capture, close } = opened.value;
  try {
    const tried: Tried[] = [];
    for (const one of newestFirst(changed).slice(0, TRIES))
      tried.push(...(await tryOne({ capture }, one, options, source)));
    return tried;
  } finally {
    await close();
  }
}

async function tryOne(
  { capture }: Pick<SessionAdapter, 'capture'>,
  source: NativeSource,
  options: CaptureOptions,
  from = source,
): Promise<Tried[]> {
  const sink = new ThrowawaySink();
  const outcome = await capture(source, null, sink, options);
  return [{ source, from, outcome, conversation: sink.conversation }];
}

interface Strangers {
  root: string;
  files: number;
  example: string;
}

/** Files that look like sessions and are newer than all of them; null = there are none. */
async function strangers({ roots, sources }: Discovery, newest: number): Promise<Strangers | null> {
  const known = new Set(sources.map(({ path }) => path));
  for (const root of roots.filter(({ exists }) => exists)) {
    const newer = (await sessionLike(root)).filter(
      ({ path, bytes, mtime_ms }) => bytes > 0 && mtime_ms > newest + LATER_MS && !known.has(path),
    );
    const [first] = newer;
    if (first !== undefined) return { root: root.path, files: newer.length, example: first.path };
  }
  return null;
}

async function sessionLike({ path, flat, folders }: SourceRoot): Promise<FoundFile[]> {
  const all: FoundFile[] = [];
  for (const folder of folders ?? ['']) {
    const { files } = await walkFiles(join(path, folder), {
      maxDepth: flat === true ? 0 : DEPTH,
      file: (name) => SESSION_LIKE.has(extname(name)),
    });
    all.push(...files);
  }
  return all;
}
