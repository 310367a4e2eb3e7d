import { classifyLog } from '../../src/core/view/classify-log.ts';
import { modelOrder, readSpecial, specialSeqs } from '../../src/core/view/model.ts';
import type { SessionEvent } from '../../src/shared/events.ts';

/** What a session would send, by the core's own view. */
export function modelView(events: readonly SessionEvent[]): SessionEvent[] {
  const index = classifyLog(events);
  const special = readSpecial(specialSeqs(index).map((seq) => events[seq]!));
  return [...modelOrder(index, special)].map((seq) => events[seq]!);
}
