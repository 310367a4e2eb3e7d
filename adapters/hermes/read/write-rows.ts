import type { Redactor } from '../../../src/core/redact/redactor.ts';
import { AppFailure } from '../../../src/shared/errors.ts';
import type { CaptureOutcome } from '../../contract.ts';
import type { StoreArtifact } from '../../io/cut-text.ts';
import type { Json } from '../json.ts';
import type { Place, SessionLog } from './log.ts';
import { type Compaction, Mapper } from './mapper.ts';
import { decodeMessage, type Message, redactMessage } from './message.ts';
import { isSummary, type Outline, type Placement, placeRows } from './place.ts';
import { type KnownRow, nothing, type Recalled, recall } from './recall.ts';

export type Accounts = Pick<CaptureOutcome, 'records' | 'mapped' | 'unknown' | 'declared' | 'unreadable'>;

interface Writing {
  log: SessionLog;
  redactor: Redactor;
  store: StoreArtifact;
  accounts: Accounts;
  drain(): Promise<void>;
  signal?: AbortSignal;
}

interface WriteOptions {
  known: boolean;
  continued: boolean;
  copies?: Copies;
}

interface Copies {
  from: string;
  rows: ReadonlySet<number>;
}

const NO_COPIES: Copies = { from: '', rows: new Set() };

/** Rows between two looks at the consumer. */
const BATCH = 256;

/** Writes the rows of a session that are not stored as they are now, so that the log's branch is the live conversation. */
export class WriteRows {
  readonly #w: Writing;
  #known: Recalled = nothing();
  #mapper: Mapper;
  #copies = NO_COPIES;
  /** rows of calls to write again */
  #outdated: ReadonlySet<number> = new Set();
  /** of each row, by its place: newest event of the tree, newest event that can be a leaf, first and last event */
  readonly #tips: (number | null)[] = [];
  readonly #leaves: (number | null)[] = [];
  readonly #spans: [number, number][] = [];

  constructor(writing: Writing) {
    this.#w = writing;
    this.#mapper = new Mapper(writing.log, writing.store, this.#known.open);
  }

  /**
   * `known`: an earlier capture stored some of them. `continued`: the session goes on from another one. `copies`: ids of rows
   * that were copied from another one.
   */
  async write(rows: readonly Json[], { known, continued, copies = NO_COPIES }: WriteOptions): Promise<void> {
    const { log, store, signal } = this.#w;
    this.#copies = copies;
    if (known) this.#known = await recall(log.sink.stored());
    this.#mapper = new Mapper(log, store, this.#known.open);
    const outlines = rows.map(outlineOf);
    const placements = placeRows(outlines, continued);
    this.#outdated = outdatedCalls(this.#known.rows, rows, placements);
    const flags: [number, number, number][] = [];
    for (const [at, row] of rows.entries()) {
      if (at % BATCH === 0) {
        await this.#w.drain();
        if (signal?.aborted) throw new AppFailure({ code: 'cancelled', message: 'The capture was cancelled.' });
      }
      const outline = outlines[at]!;
      const before = this.#known.rows.get(row.id as number);
      if (before !== undefined && (before.active !== outline.active || before.compacted !== outline.compacted))
        flags.push([row.id as number, Number(outline.active), Number(outline.compacted)]);
      this.#row(at, row, placements[at]!, before);
    }
    this.#finish(placements, flags);
  }

  #row(at: number, row: Json, placement: Placement, before: KnownRow | undefined): void {
    const above = placement.parent;
    const parent = above === null ? null : this.#tips[above]!;
    const version = versionOf(row);
    const copy = placement.copyOf !== undefined;
    const stored =
      before !== undefined &&
      before.version === version &&
      before.copy === copy &&
      (copy || before.parent === parent) &&
      !this.#outdated.has(row.id as number);
    if (stored) this.#spans[at] = [before.seq, before.last ?? before.seq];
    else this.#emit(at, row, placement, { parent, version, again: before !== undefined });
    this.#tips[at] = stored ? (before.last ?? parent) : this.#w.log.tip;
    const leaf = stored ? before.leaf : this.#w.log.leaf;
    this.#leaves[at] = leaf ?? (above === null ? null : this.#leaves[above]!);
    if (!stored && leaf !== null) this.#known.leaf = leaf;
  }

  #emit(at: number, row: Json, placement: Placement, place: Pick<Place, 'parent' | 'version' | 'again'>): void {
    const { log, store, redactor, accounts } = this.#w;
    const message = decodeMessage(row, store);
    const redacted = redactMessage(message, redactor);
    const first = log.sink.next;
    const from = this.#copies.rows.has(row.id as number) ? this.#copies.from : undefined;
    log.begin({ row: row.id as number, time: row.timestamp, redacted, from, ...place });
    for (const { field, detail } of message.unreadable) log.warn('unreadable-field', detail, { field });
    accounts.records++;
    const known =
      placement.copyOf === undefined
        ? this.#mapper.row(message, this.#compaction(placement))
        : this.#copy(message, placement.copyOf);
    if (known) accounts.mapped++;
    else accounts.unknown[`role ${message.role}`] = (accounts.unknown[`role ${message.role}`] ?? 0) + 1;
    this.#spans[at] = [first, log.sink.next - 1];
  }

  #compaction({ kept, replaced }: Placement): Compaction | null {
    return kept === undefined ? null : { kept: this.#eventsOf(kept), replaced: this.#eventsOf(replaced ?? []) };
  }

  #eventsOf(rows: readonly number[]): number[] {
    return rows.flatMap((one) => {
      const [from, to] = this.#spans[one]!;
      return Array.from({ length: to - from + 1 }, (_, i) => from + i);
    });
  }

  /** A row that repeats earlier ones: what they do not give back of it is kept, and which they are. */
  #copy({ role, row, content, reasoning }: Message, originals: number[]): true {
    const refs = originals.map((one) => `seq:${this.#spans[one]![0]}`);
    const merged = originals.length > 1 ? { content: content.parts } : {};
    const value = {
      table: 'messages',
      copies: originals.length,
      role,
      row,
      ...merged,
      ...(reasoning ? { reasoning } : {}),
    };
    this.#w.log.put('meta', 'system', { key: 'record', value }, refs);
    return true;
  }

  /** Tells rows that were taken back or summed up since, and the leaf, where that is not the newest event. */
  #finish(placements: readonly Placement[], flags: [number, number, number][]): void {
    const { log } = this.#w;
    log.own();
    if (flags.length > 0) log.meta('record', { table: 'messages', flags });
    const last = placements.findLastIndex(({ live }) => live);
    const leaf = last < 0 ? null : this.#leaves[last]!;
    const tip = last < 0 ? null : this.#tips[last]!;
    const { leaf: told, start } = this.#known;
    // Where nothing is there but notes of the harness, no event chooses the branch by itself.
    const isTold = told === tip || (told === leaf && leaf !== null) || (told === null && tip === null);
    if (isTold) return;
    log.meta('leaf', tip ?? start ?? 0);
  }
}

/**
 * Rows of calls whose stored result is no longer theirs: it was changed, taken back alone, or deleted. A result goes with
 * its call, so the call is written again without it.
 */
function outdatedCalls(
  known: ReadonlyMap<number, KnownRow>,
  rows: readonly Json[],
  placements: readonly Placement[],
): Set<number> {
  const now = new Map(rows.map((row, at) => [row.id as number, { row, live: placements[at]!.live }]));
  const calls = new Set<number>();
  for (const [id, { call, version, parent }] of known) {
    if (call === null) continue;
    const found = now.get(id);
    const isSame = found !== undefined && versionOf(found.row) === version && (found.live || parent === null);
    if (!isSame) calls.add(call);
  }
  return calls;
}

function outlineOf(row: Json): Outline {
  return {
    role: row.role,
    content: row.content,
    tool_calls: row.tool_calls ?? null,
    tool_call_id: row.tool_call_id ?? null,
    active: row.active !== 0,
    compacted: row.compacted === 1,
    summary: isSummary(row),
  };
}

/** Changes when any text of the row does, by their sizes, as the look through the database (tables.ts). */
function versionOf(row: Json): string {
  return `${String(row.timestamp)}|${VERSIONED.map((name) => sizeOf(row[name])).join('|')}`;
}

const VERSIONED = [
  'content',
  'tool_calls',
  'api_content',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'display_kind',
] as const;

function sizeOf(value: unknown): string {
  if (typeof value === 'string' || value instanceof Uint8Array) return String(value.length);
  return value === null || value === undefined ? '' : typeof value;
}
