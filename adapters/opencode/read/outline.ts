import { isObject, type Json, textOf } from '../json.ts';
import type { NativeSession } from './session.ts';

const MODEL = /"modelID": ?"([^"\\]+)"/;
const SUMMARY = /"summary": ?true/;

/** Whether a message says that it is the summary of a compaction. */
export const saysSummary = (text: string): boolean => SUMMARY.test(text);

/** What must be known of a whole session before its first message can be read. */
export class Outline {
  /** ids of the user messages whose compaction has a finished summary */
  readonly compacted = new Set<string>();
  /** id of the last message */
  readonly last: string | null;
  /** of the last answer; sessions before 1.3 have none of their own */
  readonly model: string | null;
  readonly #session: NativeSession;
  readonly #order = new Map<string, number>();
  /** units of the branch behind each unit, with the message it belongs to */
  readonly #units: { index: number; key: string; length: number }[] = [];

  constructor(session: NativeSession) {
    this.#session = session;
    let last: string | null = null;
    let model: string | null = null;
    for (const record of session.messages()) {
      const { id, text } = record;
      last = id;
      model = MODEL.exec(text)?.[1] ?? model;
      this.#order.set(id, this.#order.size);
      if (saysSummary(text) && isFinishedSummary(record.data)) this.compacted.add(String(record.data?.parentID));
    }
    for (const id of this.compacted) if (this.compactionOf(id) === null) this.compacted.delete(id);
    this.last = last;
    this.model = model;
  }

  compactionOf(messageId: string): { auto: boolean; tail: string | null } | null {
    if (!this.#order.has(messageId)) return null;
    for (const { data } of this.#session.parts(messageId)) {
      if (data?.type === 'compaction') return { auto: data.auto === true, tail: textOf(data.tail_start_id) };
    }
    return null;
  }

  /** The branch has this length behind the unit. */
  note(index: number, key: string, length: number): void {
    this.#units.push({ index, key, length });
  }

  /** How many units stand before a message, or before a part in it; null when there is no such message. */
  unitsBefore(messageId: string, partId: string | null): number | null {
    const at = this.#order.get(messageId);
    if (at === undefined) return null;
    const before = this.#units.findLast(
      ({ index, key }) => index < at || (index === at && partId !== null && key < partId),
    );
    return before?.length ?? 0;
  }
}

function isFinishedSummary(data: Json | null): boolean {
  return (
    data?.role === 'assistant' &&
    data.summary === true &&
    textOf(data.finish) !== null &&
    textOf(data.parentID) !== null &&
    !isObject(data.error)
  );
}
