import type { SessionIndex } from '../../core/view/flags.ts';
import type { Parsed } from '../../shared/api.ts';
import type { Result } from '../../shared/errors.ts';
import type { EventDraft, SessionEvent } from '../../shared/events.ts';
import type { Receipt } from '../../shared/handoff.ts';
import type { Manifest, SessionRow } from '../../shared/session.ts';

/**
 * The store's two faces. One encrypted SQLite file in a worker thread; readers never write, writers never list.
 * All methods are answered by messages, so the caller's thread never waits on SQLite.
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
  artifact(ref: string): Promise<{ bytes: Uint8Array; media_type: string } | null>;
  /** Where captures stand, by path; for a warm scan of all sources in one call. */
  sourceStates(agent?: string): Promise<SourceState[]>;
  enabledSources(): Promise<string[]>;
  manifest(id: string): Promise<Manifest | null>;
  receipts(query: {
    session?: string | undefined;
    offset: number;
    limit: number;
  }): Promise<{ total: number; rows: Receipt[] }>;
  receipt(id: string): Promise<Receipt | null>;
  operation(id: string): Promise<Operation | null>;
  setting(key: string): Promise<unknown>;
}

/** A native source as the store knows it. `cursor` and `redaction` are opaque JSON of adapter and redactor. */
export interface SourceState {
  path: string;
  agent: string;
  size: number;
  mtime_ms: number;
  cursor: Record<string, unknown> | null;
  redaction: unknown;
  sessions: string[];
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

/** One decision: all of it in one transaction with synchronous=FULL, or nothing. */
export interface Decision {
  /** new sessions (their rows are derived from the drafts that follow) */
  create?: {
    id: string;
    agent: string;
    native_id: string;
    source: string | null;
    parent: string | null;
    parent_kind: SessionRow['parent_kind'];
  }[];
  append?: { session: string; drafts: EventDraft[] }[];
  /** unsigned receipt; the store numbers, chains and signs it in the same transaction */
  receipt?: Omit<Receipt, 'position' | 'previous' | 'key_id' | 'signature'>;
  operation?: Operation;
  settings?: Record<string, unknown>;
}

export interface StoreWriter {
  /** Applies a decision. Errors: store_busy, store_full, store_read_only, operation_id_conflict. */
  decide(decision: Decision): Promise<Result<{ seqs: number[][]; receipt?: Receipt }>>;
  setSourceEnabled(agent: string, enabled: boolean): Promise<Result<void>>;
  /** Takes the lease of a name for this process, or says who holds it; renewed until released. */
  lease(name: string): Promise<Result<{ release(): Promise<void> } | { heldBy: number }>>;
}
