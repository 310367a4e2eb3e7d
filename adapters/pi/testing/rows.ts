import { type DerivedRow, SummaryProjector } from '../../../src/core/view/summary.ts';
import type { MemorySession } from '../../testing/memory-sink.ts';

/** The row of a session as the list shows it. */
export function rowOf({ events, facts }: MemorySession): DerivedRow {
  const projector = new SummaryProjector();
  for (const event of events) projector.add(event.seq, event);
  projector.facts(facts);
  return projector.row();
}
