import { sha256Hex } from '../../core/hash.ts';
import { Chain } from '../../core/log/chain.ts';
import { signManifest } from '../../core/log/manifest.ts';
import { signReceipt } from '../../core/log/receipt.ts';
import type { Signer } from '../../core/log/sign.ts';
import { SummaryProjector } from '../../core/view/summary.ts';
import { AppFailure } from '../../shared/errors.ts';
import type { EventDraft } from '../../shared/events.ts';
import type { Manifest, SessionRow } from '../../shared/session.ts';
import type { Decided, Decision } from './contract.ts';
import { bufferFor, EventBuffer, memoryFor } from './event-buffer.ts';
import { partsOf } from './event-bytes.ts';
import { type Inheritance, inherited, placed } from './inheritance.ts';
import type { KnownProjectors } from './known-projectors.ts';
import type { LogHead } from './log-head.ts';
import { type LogWriter, packRun } from './log-writer.ts';
import { type Artifacts, packArtifact, type Records } from './records.ts';
import { emptyRow, type StoredRow, savedRow } from './session-row.ts';
import type { NewSession, SessionWriter } from './session-writer.ts';
import type { SessionReader } from './sessions.ts';
import type { WholeLogs } from './whole-logs.ts';

/** The parts of the store that decisions are written through. */
export interface DecisionStore {
  log: LogWriter;
  whole: WholeLogs;
  inheritance: Inheritance;
  sessions: SessionWriter;
  rows: SessionReader;
  records: Records;
  artifacts: Artifacts;
  signer: Signer;
  projectors: KnownProjectors;
  /** a log's tail may have to be sealed */
  appended(id: number): void;
}

/** Applies a decision; runs inside one transaction. Throws AppFailure: operation_id_conflict, not_found, invalid_request. */
export function decide(store: DecisionStore, decision: Decision): Decided {
  const { operation } = decision;
  if (operation !== undefined) {
    const known = store.records.operation(operation.id);
    if (known !== null && known.digest !== operation.digest) throw conflict(operation.id);
    if (decision.once && known?.state === 'done') return { seqs: [], replayed: known.data };
  }
  const hasMoved = ({ session, events }: { session: string; events: number | null }): boolean =>
    (store.rows.get(session)?.events ?? null) !== events;
  if (decision.expect?.some(hasMoved)) return { seqs: [], moved: true };
  for (const { bytes, media_type } of decision.artifacts ?? [])
    store.artifacts.add(packArtifact(sha256Hex(bytes), bytes, media_type));
  for (const session of decision.create ?? []) create(store, session);
  const seqs = (decision.append ?? []).map((one) => appendTo(store, one));
  if (operation !== undefined)
    store.records.saveOperation(decision.once ? { ...operation, data: { ...operation.data, seqs } } : operation);
  for (const { session, facts } of decision.facts ?? []) {
    const { bytes, ...told } = facts;
    withLog(store, session, (open) => {
      open.projector.facts(told);
      open.bytes = bytes;
    });
  }
  for (const [key, value] of Object.entries(decision.settings ?? {})) store.records.saveSetting(key, value);
  const decided: Decided = { seqs };
  if (decision.manifests !== undefined) decided.manifests = decision.manifests.map((one) => sign(store, one));
  if (decision.receipt !== undefined) {
    decided.receipt = signReceipt(decision.receipt, store.records.lastReceipt(), store.signer);
    store.records.addReceipt(decided.receipt);
  }
  return decided;
}

function create(store: DecisionStore, session: NonNullable<Decision['create']>[number]): void {
  const { id: uid, agent, native_id, source, inherits } = session;
  if (store.sessions.log(uid) !== undefined)
    throw new AppFailure({
      code: 'invalid_request',
      message: `Session ${uid} is in the store already. Nothing was changed; use its log, or another id.`,
    });
  const begin: NewSession = { uid, agent, native_id, source, part: null };
  const id = store.sessions.create(begin);
  if (session.parent !== null && session.parent_kind !== null)
    store.sessions.setParent(id, { kind: session.parent_kind, uid: session.parent });
  if (inherits !== undefined) {
    const base = store.sessions.log(inherits.session);
    if (base === undefined) throw notFound(inherits.session);
    store.inheritance.add(id, { id: base.id, n: inherits.events, tip: inherits.tip });
  }
  const summary = inherits?.summary ?? new SummaryProjector().save();
  const empty = savedRow(emptyRow(begin), summary, session.parent_kind);
  store.sessions.save({ id, events: 0, head: Buffer.alloc(32) }, empty);
  store.sessions.resolveParents(uid);
}

/** A log with what its row is derived from. */
interface OpenLog extends LogHead {
  projector: SummaryProjector;
  /** size of its native file, where it is told */
  bytes?: number | undefined;
}

/** Lets `change` work on a log, then saves its head and its row. */
function withLog<T>(store: DecisionStore, uid: string, change: (log: OpenLog) => T): T {
  const stored = store.sessions.log(uid);
  const saved = store.sessions.saved(uid);
  if (stored === undefined || saved === null) throw notFound(uid);
  const whole = { id: stored.id, events: stored.events, head: stored.head, base: store.inheritance.of(stored.id) };
  const known = { summary: saved.summary, n: inherited(whole) + whole.events };
  const projector = store.projectors.of(uid, known, () => store.whole.index(whole));
  const log: OpenLog = { ...whole, projector };
  const value = change(log);
  const row: StoredRow = { ...saved.row, ...projector.row(), bytes: log.bytes ?? saved.row.bytes };
  const summary = store.sessions.save(log, savedRow(row, projector.save(), stored.parent_kind));
  store.projectors.keep(uid, summary, projector);
  return value;
}

/** Decisions are written one at a time, so they share a buffer; an event larger than it gets its own. */
const scratch = new EventBuffer(memoryFor());

/** Returns the numbers that the drafts got. */
function appendTo(store: DecisionStore, asked: NonNullable<Decision['append']>[number]): number[] {
  const { session, drafts, redactions } = asked;
  return withLog(store, session, (log) => {
    const first = log.events;
    const before = inherited(log);
    store.log.clearBehind(log.id, first);
    const chain = new Chain(log.head.toString('hex'));
    let buffer = scratch;
    buffer.clear();
    const flush = () => {
      if (buffer.n === 0) return;
      store.log.add(log.id, [packRun(buffer.run(0, 0, buffer.n), log.events - buffer.n, first, chain)]);
      buffer.clear();
    };
    for (const [i, draft] of drafts.entries()) {
      const seq = log.events;
      const { stored, read } = placed(log, asked.hang ? hung(log.projector, draft) : draft);
      const flags = log.projector.add(before + seq, read, redactions?.[i]);
      const parts = partsOf(stored, seq);
      if (!buffer.add(parts, flags)) {
        flush();
        if (!buffer.add(parts, flags)) buffer = bufferFor(parts, flags);
      }
      log.events = seq + 1;
    }
    flush();
    log.head = Buffer.from(chain.sync(), 'hex');
    store.appended(log.id);
    return drafts.map((_, i) => before + first + i);
  });
}

function hung(projector: SummaryProjector, draft: EventDraft): EventDraft {
  return draft.parent_seq === null ? { ...draft, parent_seq: projector.tip } : draft;
}

function sign(store: DecisionStore, asked: NonNullable<Decision['manifests']>[number]): Manifest {
  const row = store.rows.get(asked.session);
  const log = store.rows.log(asked.session);
  if (row === null || log === undefined) throw notFound(asked.session);
  const last = store.records.manifest(asked.session);
  const manifest = signManifest(
    {
      row: { ...row, events: log.events },
      head: log.head.toString('hex'),
      root: rootOf(store.rows, row),
      adapterVersion: asked.adapter_version,
      gitHead: asked.git_head ?? null,
      // the page that was compiled last stays that until there is another
      compiled: asked.compiled ?? last?.compiled_context ?? null,
      version: (last?.version ?? 0) + 1,
    },
    store.signer,
  );
  store.records.saveManifest(manifest);
  return manifest;
}

/** The oldest known ancestor; a cycle ends where it closes. */
function rootOf(rows: SessionReader, row: SessionRow): string {
  const seen = new Set([row.id]);
  let root = row;
  while (root.parent !== null && !seen.has(root.parent)) {
    const parent = rows.get(root.parent);
    if (parent === null) break;
    seen.add(parent.id);
    root = parent;
  }
  return root.id;
}

const conflict = (id: string) =>
  new AppFailure({
    code: 'operation_id_conflict',
    message: `Operation ${id} was used for another request. Use a new operation id, or repeat the first request exactly.`,
    details: { operation_id: id },
  });

const notFound = (uid: string) =>
  new AppFailure({
    code: 'not_found',
    message: `There is no session ${uid} in the store. Nothing was changed; list the sessions for the right id.`,
  });
