import type { KeyObject } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import type { SessionIndex } from '../../core/view/flags.ts';
import type { SummaryState } from '../../core/view/summary-state.ts';
import type { Parsed } from '../../shared/api.ts';
import type { Result } from '../../shared/errors.ts';
import type { EventDraft, SessionEvent } from '../../shared/events.ts';
import type { Receipt } from '../../shared/handoff.ts';
import type { Manifest, SessionRow } from '../../shared/session.ts';

/** Where the store lies and what opens it. */
export interface StoreOptions {
  /** SESSIONCTL_HOME: the folder that holds `store.db`; made (0700) when missing */
  home: string;
  /** 32 bytes, `storeKeyOf(root)` */
  key: Uint8Array;
  /** Ed25519 private key that signs receipts and manifests; it goes to the store's thread and nowhere else */
  signingKey: KeyObject;
  /** how long a write waits for another process before `store_busy`; default 5000 */
  busyMs?: number;
}

/** An open store. Made by `openStore` (client.ts). */
export interface Store {
  readonly reader: StoreReader;
  readonly writer: StoreWriter;
  /** A port over which another thread (the capture worker) reads and hands in captures. */
  connect(): MessagePort;
  /** Writes a compact encrypted copy (same key) to a path that must not exist yet. */
  backup(path: string): Promise<Result<{ bytes: number }>>;
  /** Ends captures, gives leases back, folds the write-ahead log into the file. */
  close(): Promise<void>;
}

/**
 * The store's two faces. One encrypted SQLite file in a worker thread; readers never write, writers never list.
 * All methods are answered by messages, so the caller's thread never waits on SQLite. Readers reject with AppFailure
 * (`store_corrupt`, `not_found` for `index`, `events`, `eventsAt`, `stream` and `verify` of an unknown session).
 * A fork of ours is read whole: what it goes on from comes first, its own events are numbered on from there (inheritance.ts).
 */
export interface StoreReader {
  stats(): Promise<{ sessions: number; events: number; bytes: number }>;
  sessions(query: Parsed<'sessions.list'>): Promise<{ total: number; rows: SessionRow[] }>;
  session(id: string): Promise<SessionRow | null>;
  /** Rows that a handle can mean: canonical id, native id or source path exactly; else prefixes (≥ 4 characters) of the ids. */
  find(handle: string): Promise<SessionRow[]>;
  /** The session, its ancestors and all their descendants; safe against cycles. */
  lineage(id: string): Promise<SessionRow[]>;
  index(id: string): Promise<SessionIndex>;
  /** Contiguous events, `limit` ≤ 1000. */
  events(id: string, from: number, limit: number): Promise<SessionEvent[]>;
  /** Events by number, in the order asked. */
  eventsAt(id: string, seqs: readonly number[]): Promise<SessionEvent[]>;
  /** All events in order, a segment at a time; `from` included. Back-pressured: the next segment is read when asked for. */
  stream(id: string, from?: number): AsyncIterable<SessionEvent[]>;
  /**
   * Events by number, in the order given, as they lie together in the store; back-pressured like `stream`. For readers that
   * want content and no proof: checksums are not worked out, '' stands in their place.
   */
  pick(id: string, seqs: Uint32Array): AsyncIterable<SessionEvent[]>;
  /** The session's own log as it is chained, without what a fork goes on from: its numbers begin at 0. */
  log(id: string): AsyncIterable<SessionEvent[]>;
  /** How many events a fork of ours has from before its own log; 0 for all others. */
  inherited(id: string): Promise<number>;
  artifact(ref: string): Promise<{ bytes: Uint8Array; media_type: string } | null>;
  /** Where captures stand, by path; for a warm scan of all sources in one call. */
  sourceStates(agent?: string): Promise<SourceState[]>;
  sourceState(path: string): Promise<SourceState | null>;
  enabledSources(): Promise<string[]>;
  /** The last signed manifest, or null when none was signed yet. Its head can lie behind the log's. */
  manifest(id: string): Promise<Manifest | null>;
  /** Hashes the whole log again and compares it with every stored link and the head. `head` is `sha256:<hex>`. */
  verify(id: string): Promise<{ ok: true; events: number; head: string } | { ok: false; seq: number; reason: string }>;
  receipts(query: {
    session?: string | undefined;
    offset: number;
    limit: number;
  }): Promise<{ total: number; rows: Receipt[] }>;
  receipt(id: string): Promise<Receipt | null>;
  operation(id: string): Promise<Operation | null>;
  setting(key: string): Promise<unknown>;
  /** Sessions that hold records of unknown kinds, the last stored first. */
  unknownRecords(): Promise<UnknownRecords[]>;
}

/** How many records of a session no adapter understood; they lie in its log as they were. */
export interface UnknownRecords {
  id: string;
  agent: string;
  source: string | null;
  records: number;
}

/** A native source as the store knows it. `cursor` is the adapter's own JSON, with the state of its redactor. */
export interface SourceState {
  path: string;
  agent: string;
  size: number;
  mtime_ms: number;
  cursor: Record<string, unknown> | null;
  sessions: string[];
  /** grows with each capture: a capture that began on another version is refused and taken again */
  version: number;
}

/** A long operation that survives a crash: written before its first effect and after each step. */
export interface Operation {
  id: string;
  kind: string;
  /** sha256 over the canonical JSON of the request: same id, other request = operation_id_conflict */
  digest: string;
  state: 'running' | 'done' | 'failed' | 'undone';
  step: string | null;
  /** what was made so far and must be removed on failure; JSON */
  data: Record<string, unknown>;
  updated: number;
}

/** What a new session goes on from. */
export interface Inherited {
  session: string;
  /** how many of its events, as it is read */
  events: number;
  /** the one of them that what follows hangs on */
  tip: number | null;
  /** what the projector knows after them */
  summary: SummaryState;
}

/** One decision: all of it in one transaction with synchronous=FULL, or nothing. */
export interface Decision {
  /** how many events sessions still have, as they are read (null: no such session yet); else nothing is done, and `moved` says so */
  expect?: { session: string; events: number | null }[];
  /** new sessions (their rows are derived from the drafts that follow) */
  create?: {
    id: string;
    agent: string;
    native_id: string;
    source: string | null;
    parent: string | null;
    parent_kind: SessionRow['parent_kind'];
    /** set for a fork of ours */
    inherits?: Inherited;
  }[];
  /**
   * Parents are named as the session is read. `hang`: drafts without one hang on the end of the conversation. `redactions`: how
   * many placeholders the redactor put into each draft.
   */
  append?: { session: string; drafts: EventDraft[]; hang?: boolean; redactions?: readonly number[] }[];
  /** bytes that the drafts refer to as `artifact:sha256:<hex>`; already redacted */
  artifacts?: { bytes: Uint8Array; media_type: string }[];
  /** facts that are not events (title, archived, …), by session; overwrite field by field */
  facts?: { session: string; facts: Partial<SessionRow> }[];
  /** signs manifests at the heads that this decision leaves behind */
  manifests?: {
    session: string;
    adapter_version: string;
    git_head?: string | null;
    compiled?: Manifest['compiled_context'];
  }[];
  /** unsigned receipt; the store numbers, chains and signs it in the same transaction */
  receipt?: Omit<Receipt, 'position' | 'previous' | 'key_id' | 'signature'>;
  operation?: Operation;
  /** A done operation is not done again: the answer is what it recorded, `seqs` too, which are then put into its data. */
  once?: boolean;
  settings?: Record<string, unknown>;
}

/** What a decision made. */
export interface Decided {
  seqs: number[][];
  receipt?: Receipt;
  manifests?: Manifest[];
  /** nothing was made now: what the operation recorded when it was done */
  replayed?: Operation['data'];
  /** true: nothing was done, since a session is not as it was expected */
  moved?: true;
}

export interface StoreWriter {
  /**
   * Applies a decision; `seqs` are as the sessions are read. Errors: not_found, invalid_request, store_busy, store_full,
   * store_read_only, operation_id_conflict.
   */
  decide(decision: Decision): Promise<Result<Decided>>;
  setSourceEnabled(agent: string, enabled: boolean): Promise<Result<void>>;
  /** Takes the lease of a name for this process, or says who holds it; renewed until released. */
  lease(name: string): Promise<Result<{ release(): Promise<void> } | { heldBy: number }>>;
}
