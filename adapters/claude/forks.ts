import { dirname, join } from 'node:path';
import type { CaptureSink, NativeSource } from '../contract.ts';
import { isRootOf, type Outline, outlineOf, siblingsOf } from './outlines.ts';
import { isObject, type Json, type NativeRecord, text } from './record.ts';

/** The session's log, as far as a fork writes to it. */
interface Log {
  aside(draft: { type: string; actor: string; level: 1; payload: Json }, parent: number): void;
}

/**
 * A session that was forked off another one, or by an old version resumed into a new file: it begins with a copy of that
 * session's records. Newer versions say so on some of the copies; the others keep the uuid of the original.
 */
export class Fork {
  /** id of the session that most of the copies come from */
  readonly parent: string;
  /** where its file is or was */
  private readonly path: string;
  private readonly own: string;
  private readonly copies: ReadonlyMap<string, string>;

  constructor(source: NativeSource, parent: string, copies: ReadonlyMap<string, string>) {
    this.parent = parent;
    this.path = join(dirname(source.path), `${parent}.jsonl`);
    this.own = source.native_id;
    this.copies = copies;
  }

  /** Says behind the start of the session where it comes from. */
  put(log: Log, sink: Pick<CaptureSink, 'idOf'>): void {
    const from_session = sink.idOf({ path: this.path, native_id: this.parent });
    const payload = { from_session, from_seq: null, reason: 'fork' };
    log.aside({ type: 'session.fork', actor: 'system', level: 1, payload }, -1);
  }

  /** The session that a record was copied from; undefined for one of its own. */
  of(record: NativeRecord): string | undefined {
    const named = namedBy(record);
    if (named !== undefined && named !== this.own) return named;
    return typeof record.uuid === 'string' ? this.copies.get(record.uuid) : undefined;
  }
}

/** The session that a copy names: of `forkSession` on each line, of `--fork-session` on answers, which that session paid for. */
function namedBy(record: NativeRecord): string | undefined {
  return isObject(record.forkedFrom) ? text(record.forkedFrom.sessionId) : text(record.requestSessionId);
}

/** Finds out whether a file begins with a copy. `ahead`: its first records, a root and an answer among them. */
export function forkOf(source: NativeSource, ahead: readonly { record: NativeRecord }[]): Fork | undefined {
  const named = ahead.map(({ record }) => namedBy(record)).find((id) => id !== undefined && id !== source.native_id);
  const root = ahead.find(({ record }) => isRootOf(record))?.record;
  const { parent, copies } = copiesOf(source, text(root?.uuid), named);
  const from = named ?? parent;
  return from === undefined ? undefined : new Fork(source, from, copies);
}

/** Records of the files of the folder that this one was copied from, by the session they stand in; it may still be growing. */
function copiesOf(source: NativeSource, root: string | undefined, named: string | undefined) {
  const copies = new Map<string, string>();
  const paths = root === undefined ? [] : siblingsOf(source.path, root, named);
  const own = paths.length === 0 ? undefined : outlineOf(source.path);
  if (own === undefined) return { parent: undefined, copies };
  const originals = paths
    .map(outlineOf)
    .filter((other) => other !== undefined)
    .filter((other) => other.id === named || isOriginal(other, own));
  // counted once, since a family can have thousands of members
  const common = new Map(originals.map((other) => [other, shared(other, own)]));
  originals.sort((a, b) => common.get(b)! - common.get(a)! || (isOriginal(a, b) ? -1 : 1));
  for (const other of originals)
    for (const uuid of other.records.keys()) if (!copies.has(uuid)) copies.set(uuid, other.id);
  return { parent: originals[0]?.id, copies };
}

/** How many records stand in both. */
function shared(a: Outline, b: Outline): number {
  let n = 0;
  for (const uuid of a.records.keys()) if (b.records.has(uuid)) n++;
  return n;
}

/**
 * Of two files with the same first record, whether `a` is the one that the other was made from. Old copies kept the id of
 * the original on the first line, or were stamped with the time of the copy, or stand behind lines that are younger. Else the
 * copy is the one that went on first: it was made for that.
 */
function isOriginal(a: Outline, b: Outline): boolean {
  if (b.named.has(a.id) !== a.named.has(b.id)) return b.named.has(a.id);
  if (a.began !== b.began) return a.began < b.began;
  if (a.late !== b.late) return b.late;
  const [ownA, ownB] = [wentOn(a, b), wentOn(b, a)];
  return ownA === ownB ? a.id < b.id : ownA > ownB;
}

/** Time of the first record that the other does not have. */
function wentOn(file: Outline, other: Outline): number {
  for (const [uuid, at] of file.records) if (!other.records.has(uuid)) return at;
  return Number.POSITIVE_INFINITY;
}
