import type { SessionEvent } from '../../shared/events.ts';
import { codeOf } from './codes.ts';
import type { SessionIndex } from './flags.ts';
import { SummaryProjector } from './summary.ts';

/** The index of a log that is at hand as a whole (a bundle, a test). The store keeps its own, an event at a time. */
export function classifyLog(events: readonly SessionEvent[]): SessionIndex {
  const n = events.length;
  const index: SessionIndex = {
    n,
    ts: new Float64Array(n),
    type: new Uint8Array(n),
    flags: new Uint8Array(n),
    parent: new Int32Array(n),
  };
  const projector = new SummaryProjector();
  for (const [seq, event] of events.entries()) {
    index.ts[seq] = event.ts ?? Number.NaN;
    index.type[seq] = codeOf(event.type);
    index.flags[seq] = projector.add(seq, event);
    index.parent[seq] = event.parent_seq ?? -1;
  }
  return index;
}
