import type { SessionEvent } from '../../src/shared/events.ts';
import { isObject, type Json } from './record.ts';

/** A call that has no result yet. */
export interface OpenCall {
  seq: number;
  response: string;
  name: string;
  arguments: Json;
  /** the conversation went on without its result */
  passed: boolean;
  told: boolean;
}

/** The calls of a session that wait for their results. Answered ones are forgotten. */
export class OpenCalls {
  private readonly open = new Map<string, OpenCall>();

  made(seq: number, payload: Json, response: string): void {
    const id = payload.call_id as string;
    const args = isObject(payload.arguments) ? payload.arguments : {};
    this.open.set(id, { seq, response, name: String(payload.name), arguments: args, passed: false, told: false });
  }

  /** The call, if it is open. */
  get(id: string): OpenCall | undefined {
    return this.open.get(id);
  }

  answered(id: string): void {
    this.open.delete(id);
  }

  /** A prompt or another answer followed: what is still open will not be answered. */
  passBy(response: string | undefined): void {
    if (this.open.size === 0) return;
    for (const call of this.open.values()) if (call.response !== response) call.passed = true;
  }

  /** Number of calls that were passed by and not reported yet; they count as reported from now on. */
  unanswered(): number {
    let count = 0;
    for (const call of this.open.values()) {
      if (!call.passed || call.told) continue;
      call.told = true;
      count++;
    }
    return count;
  }

  /** Whether a call waits that was not passed by. */
  get waiting(): boolean {
    for (const call of this.open.values()) if (!call.passed) return true;
    return false;
  }

  /** Sub-agent calls that wait, oldest first. */
  *agents(): Iterable<[id: string, call: OpenCall]> {
    for (const entry of this.open) if (entry[1].name === 'Task' || entry[1].name === 'Agent') yield entry;
  }

  /** Takes a stored event into account. */
  replay(event: SessionEvent): void {
    const { payload } = event;
    if (event.type === 'tool.call') this.made(event.seq, payload, String(payload.response));
    else if (event.type === 'tool.result') this.answered(String(payload.call_id));
  }
}
