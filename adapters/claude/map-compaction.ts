import type { ContextCompacted } from '../../src/shared/events.ts';
import { mapContent } from './content.ts';
import { compact } from './cut.ts';
import { EVENT, type EventGraph } from './graph.ts';
import { leftOver } from './native.ts';
import { placeOf, settle } from './place.ts';
import { isObject, type Json, type NativeRecord } from './record.ts';
import type { Boundary, SessionState } from './state.ts';
import { messageRest } from './user-message.ts';

const HANDLED: ReadonlySet<string> = new Set(['type', 'uuid', 'parentUuid', 'timestamp', 'message']);
const MARK_HANDLED: ReadonlySet<string> = new Set(['uuid', 'timestamp']);

/**
 * `system/compact_boundary`: a new root for the client; for the log it hangs on the old leaf, so that the history before
 * it stays reachable. The compaction itself is told by the summary that follows.
 */
export function mapBoundary(state: SessionState, record: NativeRecord): void {
  const { log } = state;
  const { graph } = log;
  const metadata = isObject(record.compactMetadata) ? record.compactMetadata : {};
  log.current.parent = graph.behind(oldLeaf(graph, record, metadata));
  const value = compact(leftOver(record, MARK_HANDLED, log, false, undefined), { store: state.store });
  const payload: Json = { key: 'record', value };
  const seq = log.put({ type: 'meta', actor: 'system', level: 0, payload, kind: EVENT.OTHER });
  log.groups.close();
  state.boundary = { uuid: log.current.uuid ?? '', seq, metadata };
}

/**
 * The end of the history before a compaction: `logicalParentUuid`; or, where only the older part was summarised and the
 * kept part follows it, the end of the kept part.
 */
function oldLeaf(graph: EventGraph, record: NativeRecord, metadata: Json): number {
  const find = (uuid: unknown): number | undefined => (typeof uuid === 'string' ? graph.byUuid.get(uuid) : undefined);
  const logical = find(record.logicalParentUuid) ?? graph.tip;
  const kept = isObject(metadata.preservedSegment) ? find(metadata.preservedSegment.tailUuid) : undefined;
  return kept !== undefined && graph.descends(kept, logical) ? kept : logical;
}

/** The summary that a compaction left, as the one event of it. */
export function mapSummary(state: SessionState, record: NativeRecord, message: Json): void {
  const { log } = state;
  const role = { kind: 'prompt' } as const;
  const place = placeOf(log, record, role);
  log.current.parent = place.parent;
  const mapped = mapContent(message.content, { store: state.store, cut: false });
  const native = leftOver(record, HANDLED, log, place.exact, messageRest(message, mapped));
  const payload: Json = { ...compaction(log.graph, state.boundary), summary: mapped.content };
  if (native !== undefined) payload.native = native;
  log.put({ type: 'context.compacted', actor: 'system', level: 1, payload, kind: EVENT.USER });
  state.boundary = undefined;
  settle(log, place, role, log.current.last);
}

/** A mark that conversation follows without a summary: what was before it is out of the context all the same. */
export function closeBoundary(state: SessionState): void {
  const { boundary, log } = state;
  if (boundary === undefined) return;
  state.boundary = undefined;
  const payload: Json = { ...compaction(log.graph, boundary), summary: [] };
  const parent = log.graph.behind(boundary.seq);
  const seq = log.aside({ type: 'context.compacted', actor: 'system', level: 1, payload }, parent);
  log.graph.redirect(parent, seq);
}

function compaction(graph: EventGraph, boundary: Boundary | undefined): Omit<ContextCompacted, 'summary'> {
  const metadata = boundary?.metadata ?? {};
  const { trigger, preTokens, postTokens } = metadata;
  const kept = keptEvents(graph, metadata);
  const anchor = isObject(metadata.preservedMessages) ? metadata.preservedMessages : metadata.preservedSegment;
  const before = isObject(anchor) && anchor.anchorUuid === boundary?.uuid;
  return {
    kept,
    ...(before && kept.length > 0 ? { kept_first: true } : {}),
    ...(typeof postTokens === 'number' ? { tokens_after: postTokens } : {}),
    ...(typeof preTokens === 'number' ? { tokens_before: preTokens } : {}),
    trigger: trigger === 'manual' ? 'manual' : 'auto',
  };
}

/** Events that stay verbatim behind a compaction, in the order of the model's context. */
function keptEvents(graph: EventGraph, metadata: Json): number[] {
  const messages = isObject(metadata.preservedMessages) ? metadata.preservedMessages : {};
  const uuids = Array.isArray(messages.allUuids) ? messages.allUuids : messages.uuids;
  const kept: number[] = [];
  if (Array.isArray(uuids)) {
    for (const uuid of uuids as unknown[]) {
      const seq = typeof uuid === 'string' ? graph.byUuid.get(uuid) : undefined;
      if (seq !== undefined) kept.push(...graph.record(seq));
    }
  } else if (isObject(metadata.preservedSegment)) kept.push(...segment(graph, metadata.preservedSegment));
  return kept.filter((seq) => graph.kind(seq) & (EVENT.CORE | EVENT.NOTE));
}

/** The path between two records, where only its ends are named. */
function segment(graph: EventGraph, { headUuid, tailUuid }: Json): number[] {
  const head = typeof headUuid === 'string' ? graph.byUuid.get(headUuid) : undefined;
  const tail = typeof tailUuid === 'string' ? graph.byUuid.get(tailUuid) : undefined;
  if (head === undefined || tail === undefined || !graph.descends(tail, head)) return [];
  const first = graph.record(head)[0] ?? head;
  const path: number[] = [];
  for (let at = tail; at >= first; at = graph.parent(at)) path.unshift(at);
  return path;
}
