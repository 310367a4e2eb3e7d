import type { SessionEvent } from '../../shared/events.ts';

/** Events of one response with the results of its calls, or one other event. */
interface Unit {
  response: string | null;
  events: SessionEvent[];
  results: SessionEvent[];
  /** calls without a result so far */
  open: Set<string>;
}

/** How many events are held back for a result that may still come. */
const PATIENCE = 512;
const ANSWER_TYPES = new Set(['message.assistant', 'message.thinking', 'tool.call']);

/**
 * Puts a model view into the order that models demand: all events of one response together, directly followed by the
 * results of its calls, then everything else that stood between. Results keep the order in which they came. A result
 * whose call is not in the view, or that answers a call again, cannot be sent: it goes to `orphan`.
 */
export async function* regroup(
  events: AsyncIterable<SessionEvent> | Iterable<SessionEvent>,
  orphan: (event: SessionEvent) => void = () => {},
): AsyncGenerator<SessionEvent> {
  const queue = new Regrouper(orphan);
  for await (const event of events) {
    queue.add(event);
    // plain loops: delegating to a generator costs a promise an event
    for (const next of queue.ready()) yield next;
  }
  for (const next of queue.rest()) yield next;
}

class Regrouper {
  #units: Unit[] = [];
  #current: Unit | null = null;
  #byCall = new Map<string, Unit>();
  #held = 0;
  #orphan: (event: SessionEvent) => void;

  constructor(orphan: (event: SessionEvent) => void) {
    this.#orphan = orphan;
  }

  add(event: SessionEvent): void {
    const callId = String(event.payload.call_id);
    if (event.type === 'tool.result') {
      const unit = this.#byCall.get(callId);
      if (!unit?.open.delete(callId)) {
        this.#orphan(event);
        return;
      }
      unit.results.push(event);
    } else if (ANSWER_TYPES.has(event.type)) {
      const unit = this.#answer(event);
      if (event.type === 'tool.call') {
        unit.open.add(callId);
        this.#byCall.set(callId, unit);
      }
    } else this.#push(null, event);
    this.#held++;
  }

  #answer(event: SessionEvent): Unit {
    const response = typeof event.payload.response === 'string' ? event.payload.response : null;
    if (response !== null && this.#current?.response === response) {
      this.#current.events.push(event);
      return this.#current;
    }
    this.#current = this.#push(response, event);
    return this.#current;
  }

  #push(response: string | null, event: SessionEvent): Unit {
    const unit: Unit = { response, events: [event], results: [], open: new Set() };
    this.#units.push(unit);
    return unit;
  }

  /** Units that nothing can be added to any more; beyond the patience, also those still waiting for a result. */
  ready(): readonly SessionEvent[] {
    const out: SessionEvent[] = [];
    for (let unit = this.#units[0]; unit; unit = this.#units[0]) {
      const waits = unit === this.#current || unit.open.size > 0;
      if (waits && this.#held <= PATIENCE) break;
      this.#shift(out);
    }
    return out;
  }

  rest(): readonly SessionEvent[] {
    const out: SessionEvent[] = [];
    while (this.#units.length > 0) this.#shift(out);
    return out;
  }

  #shift(out: SessionEvent[]): void {
    const unit = this.#units.shift()!;
    if (unit === this.#current) this.#current = null;
    this.#held -= unit.events.length + unit.results.length;
    for (const event of unit.events) {
      const callId = String(event.payload.call_id);
      if (this.#byCall.get(callId) === unit) this.#byCall.delete(callId);
    }
    for (const event of unit.events) out.push(event);
    for (const event of unit.results) out.push(event);
  }
}
