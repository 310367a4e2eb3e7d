import { canonicalJson } from '../../core/log/canonical-json.ts';
import type { EventDraft } from '../../shared/events.ts';

const ENVELOPE = new Set(['actor', 'agent', 'level', 'origin', 'parent_seq', 'payload', 'refs', 'ts', 'type']);

/**
 * Canonical JSON of an event that gets the number `seq`, without its checksum. The same text as `eventText` of the log's
 * core, put together from parts because the envelope's keys are known and in order.
 */
export function draftText(draft: EventDraft, seq: number): string {
  for (const key in draft) if (!ENVELOPE.has(key)) return canonicalJson({ ...draft, seq });
  const { refs, parent_seq, ts } = draft;
  return `{"actor":${JSON.stringify(draft.actor)},"agent":${JSON.stringify(draft.agent)},"level":${draft.level},"origin":${
    draft.origin === null ? 'null' : canonicalJson(draft.origin)
  },"parent_seq":${parent_seq ?? 'null'},"payload":${canonicalJson(draft.payload)},"refs":${
    refs.length === 0 ? '[]' : JSON.stringify(refs)
  },"seq":${seq},"ts":${ts === null ? 'null' : JSON.stringify(ts)},"type":${JSON.stringify(draft.type)}}`;
}
