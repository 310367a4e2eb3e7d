import { sha256Hex } from '../../core/hash.ts';
import { canonicalJson } from '../../core/log/canonical-json.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { Warning } from '../../shared/events.ts';
import type { FidelityReport, HandoffMode, HandoffResult, SagaStep } from '../../shared/handoff.ts';
import type { Operation, Store } from '../store/contract.ts';
import type { CompiledNote } from './compiled-note.ts';

/** What a handoff was asked to do, after the session is resolved: the same id with another request is a conflict. */
export interface HandoffRequest {
  session: string;
  to: string;
  mode: HandoffMode | null;
  turns: number | null;
  /** delta: id of the session to go on with, where it was named */
  since?: string;
  note: string | null;
  cwd: string | null;
}

/** The file an operation wrote, recorded before it gets its final name. */
export interface WrittenFile {
  final: string;
  sha256: string;
  bytes: number;
}

/** Everything a retry needs to go on, or to take back, what a killed run has begun. */
export interface HandoffState {
  request: HandoffRequest;
  /** who asked for it; absent = the user */
  actor?: string;
  /** seconds; fixed at the first try, since id and path of the new session follow from it */
  at: number;
  native_id: string;
  final: string;
  title: string;
  cwd: string;
  version: string | null;
  tokens: number;
  mode: HandoffMode;
  turns: number | null;
  shape: string;
  source_version: string | null;
  head: { seq: number; checksum: string };
  fidelity: FidelityReport;
  redaction: { removed: number; by_type: Record<string, number> };
  compiled: CompiledNote | null;
  /** delta: the session that the new one is a copy of */
  since?: { session: string; native_id: string; seq: number; own_turns: number; until: number };
  /** folder above `final` that stood before the first try: what is below it, the handoff made */
  stood?: string;
  /** what was written is not newer than this (seconds) */
  until?: number;
  warnings: Warning[];
  written: WrittenFile | null;
  result: HandoffResult | null;
}

export interface HandoffOperation extends Omit<Operation, 'data' | 'step'> {
  step: SagaStep | null;
  data: Record<string, unknown> & Partial<HandoffState>;
}

const KIND = 'handoff';

export const digestOf = (request: HandoffRequest): string => sha256Hex(canonicalJson({ command: KIND, ...request }));

/** The operation of an id, or null when it is new. Errors: operation_id_conflict. */
export async function knownOperation(
  store: Store,
  id: string,
  digest: string,
): Promise<Result<HandoffOperation | null>> {
  const known = await store.reader.operation(id);
  if (known === null) return ok(null);
  if (known.kind === KIND && known.digest === digest) return ok(known as HandoffOperation);
  return conflict(id);
}

export function conflict(id: string): Result<never> {
  return fail(
    'operation_id_conflict',
    `The operation ${id} was used for another request. Choose a new id; nothing was written.`,
    { operation: id },
  );
}

/** Writes the operation's row. It stands before the first effect and after each step. */
export async function record(
  store: Store,
  operation: { id: string; digest: string },
  state: Operation['state'],
  step: SagaStep | null,
  data: HandoffState,
): Promise<Result<void>> {
  const row: Operation = {
    id: operation.id,
    kind: KIND,
    digest: operation.digest,
    state,
    step,
    data: { ...data },
    updated: Date.now() / 1000,
  };
  const decided = await store.writer.decide({
    operation: row,
    settings: await openList(store, operation.id, state === 'running'),
  });
  return decided.ok ? ok(undefined) : decided;
}

// ---- the list of begun handoffs, so that what a killed run left is found without its id

const OPEN = 'handoffs.open';

export async function openOperations(store: Store): Promise<string[]> {
  const list = await store.reader.setting(OPEN);
  return Array.isArray(list) ? list.filter((id): id is string => typeof id === 'string') : [];
}

/** Settings of a decision that opens or ends an operation. */
export async function openList(store: Store, id: string, open: boolean): Promise<Record<string, unknown>> {
  const others = (await openOperations(store)).filter((other) => other !== id);
  return { [OPEN]: open ? [...others, id] : others };
}
