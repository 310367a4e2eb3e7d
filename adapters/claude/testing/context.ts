import { canonicalJson } from '../../../src/core/log/canonical-json.ts';
import { activePath } from '../../../src/core/view/branch.ts';
import { classifyLog } from '../../../src/core/view/classify-log.ts';
import { readSpecial, specialSeqs } from '../../../src/core/view/model.ts';
import type { SessionEvent } from '../../../src/shared/events.ts';
import type { MemorySession, MemorySink } from '../../testing/memory-sink.ts';
import { rebuildRecords } from '../rebuild.ts';

/** The active events in the order of the context: behind the last compaction with its summary and what it kept. */
export function contextOf(events: readonly SessionEvent[]): SessionEvent[] {
  const index = classifyLog(events);
  const special = readSpecial(specialSeqs(index).map((seq) => events[seq] as SessionEvent));
  const active = activePath(index, special.leaf);
  const compaction = special.compactions.findLast(({ seq }) => active[seq]);
  const { seq, kept, kept_first } = compaction ?? { seq: -1, kept: [], kept_first: false };
  const order = compaction === undefined ? [] : kept_first ? [...kept, seq] : [seq, ...kept];
  for (let i = seq + 1; i < events.length; i++) if (active[i]) order.push(i);
  return order.map((at) => events[at] as SessionEvent);
}

/** What of a context is conversation, without numbers and origins. */
export function conversationOf(events: readonly SessionEvent[]): unknown[] {
  return contextOf(events)
    .filter(({ type }) => type.startsWith('message.') || type.startsWith('tool.') || type === 'context.compacted')
    .map(({ type, payload: { native: _, kept: __, usage: ___, via: ____, ...payload } }) => ({ type, payload }));
}

/** Canonical text of every record that can be written again, by line (counted from 0; halves for glued lines). */
export async function recordsOf(sink: MemorySink): Promise<Map<number, string>> {
  const records = new Map<number, string>();
  for (const { events } of sink.sessions.values())
    for await (const { line, record } of rebuildRecords(events, sink.read))
      records.set(records.has(line) ? line + 0.5 : line, canonicalJson(record));
  return records;
}

/** A log without what only the end of a capture writes, renumbered, so that different captures can be compared. */
export function comparable({ events }: MemorySession): unknown[] {
  const kept = events.filter(
    ({ type, payload }) => !(type === 'meta' && (payload.key === 'leaf' || payload.key === 'warning')),
  );
  const numbers = new Map(kept.map(({ seq }, i) => [seq, i]));
  const numberOf = (seq: number): number => numbers.get(seq) ?? -1;
  return kept.map(({ parent_seq, refs, payload, ...event }, seq) => ({
    ...event,
    seq,
    parent_seq: parent_seq === null ? null : numberOf(parent_seq),
    refs: refs.map((ref) => ref.replace(/^seq:(\d+)$/, (_all, one: string) => `seq:${numberOf(Number(one))}`)),
    payload: Array.isArray(payload.kept) ? { ...payload, kept: (payload.kept as number[]).map(numberOf) } : payload,
  }));
}
