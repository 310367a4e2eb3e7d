import type Database from 'better-sqlite3';
import { isObject, type Json, parsedObject } from '../json.ts';
import type { ForkOf, NativeSession } from './session.ts';

const FORK_TITLE = /^(.+) \(fork #(\d+)\)$/;
/** Identities, which a fork makes anew; everything else of a message it copies. */
const IDS: ReadonlySet<string> = new Set(['id', 'parentID', 'sessionID', 'messageID', 'tail_start_id']);
/** Settled after a turn by the client itself, in the source and in the copy at different times. */
const SETTLED: ReadonlySet<string> = new Set(['summary']);

interface Candidate {
  id: string;
  title: string;
  length: number;
  ids: ReadonlyMap<string, string>;
  /** its first message is its own, not a copy from yet another one */
  original: boolean;
}

/**
 * The source of a fork. OpenCode keeps no link: a fork is a session whose first messages have the times and contents of
 * another one's, older than the session itself. Null when it is none, or when more than one session could be the source.
 */
export function forkOf(db: Database, session: NativeSession): ForkOf | null {
  const { created, title } = session.head;
  const [first] = session.messages();
  if (first === undefined || first.created === null || created === null || first.created >= created) return null;
  const others = db.prepare(
    `SELECT DISTINCT s.id, s.title, s.time_created AS created FROM message m JOIN session s ON s.id = m.session_id
     WHERE m.time_created = ? AND s.id <> ? AND s.time_created <= ?`,
  );
  const found: Candidate[] = [];
  for (const one of others.all(first.created, session.id, created) as Other[]) {
    const { length, ids } = shared(signatures(db, session.id), signatures(db, one.id));
    if (length > 0) found.push({ id: one.id, title: one.title, length, ids, original: first.created >= one.created });
  }
  const source = likeliest(found, title ?? '');
  return source === null ? null : { native_id: source.id, ids: source.ids };
}

interface Other {
  id: string;
  title: string;
  created: number;
}

/** The common beginning of two sessions. */
function shared(own: Iterator<Signature>, theirs: Iterator<Signature>): Pick<Candidate, 'length' | 'ids'> {
  const ids = new Map<string, string>();
  for (let length = 0; ; length++) {
    const [mine, other] = [own.next(), theirs.next()];
    if (mine.done === true || other.done === true || mine.value.is !== other.value.is) return { length, ids };
    for (const [n, id] of mine.value.ids.entries()) ids.set(id, other.value.ids[n]!);
  }
}

/** The longest common beginning decides, then the title that the fork was made with, then who said it first. */
function likeliest(found: Candidate[], title: string): Candidate | null {
  const longest = Math.max(0, ...found.map(({ length }) => length));
  let left = found.filter(({ length }) => length === longest);
  for (const holds of [(one: Candidate) => one.title === sourceTitle(title), (one: Candidate) => one.original]) {
    if (left.length > 1 && left.some(holds)) left = left.filter(holds);
  }
  return left.length === 1 ? left[0]! : null;
}

/** `X (fork #2)` is a fork of `X (fork #1)`, and that one of `X`. */
function sourceTitle(title: string): string | null {
  const [, base, n] = FORK_TITLE.exec(title) ?? [];
  if (base === undefined) return null;
  return Number(n) > 1 ? `${base} (fork #${Number(n) - 1})` : base;
}

interface Signature {
  /** of the message and its parts */
  ids: string[];
  is: string;
}

/** What each message says, without its identities. */
function* signatures(db: Database, sessionId: string): Generator<Signature> {
  const messages = db.prepare('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id');
  const parts = db.prepare('SELECT id, data FROM part WHERE message_id = ? ORDER BY id');
  for (const { id, data } of messages.all(sessionId) as Row[]) {
    const own = parts.all(id) as Row[];
    const is = JSON.stringify([plain(data, SETTLED), own.map((part) => plain(part.data, new Set()))]);
    yield { ids: [id, ...own.map((part) => part.id)], is };
  }
}

interface Row {
  id: string;
  data: string;
}

function plain(text: string, without: ReadonlySet<string>): unknown {
  const data = parsedObject(text);
  if (data === null) return text;
  return Object.fromEntries(
    Object.entries(data)
      .filter(([key]) => !IDS.has(key) && !without.has(key))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, key === 'state' ? sorted(value) : value]),
  );
}

function sorted(value: unknown): unknown {
  if (!isObject(value)) return value;
  const copy: Json = {};
  for (const key of Object.keys(value).sort()) if (key !== 'attachments') copy[key] = value[key];
  return copy;
}
