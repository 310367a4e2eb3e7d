import type { FidelityReport, FidelityRow, Outcome } from '../../shared/handoff.ts';
import { ANSWER, CODE, CONVERSATION, OTHER_TYPE } from '../view/codes.ts';
import { MARK, MARK_MASK, type SessionIndex } from '../view/flags.ts';
import type { Sight } from '../view/rows.ts';

/** What becomes of an event on a target (the adapters' Carry). */
export interface Fate {
  outcome: Outcome;
  /** e.g. "→ exec_command", "kept", "signed by its provider, stays at home" */
  how: string;
}

/** Rows of this kind are shown but stand outside the totals: what a client notes for itself is no conversation. */
export const STATE = 'state';

const DEAD: Fate = { outcome: 'dropped', how: 'on a branch that was left' };
const COMPACTED: Fate = {
  outcome: 'summarised',
  how: 'in the summary of the last compaction; the agent itself no longer sees it',
};
const UNKNOWN: Fate = { outcome: 'dropped', how: 'not understood; kept in the log' };
const OWN: Fate = {
  outcome: 'dropped',
  how: 'state and notices that the client adds by itself; the next one adds its own',
};

const WORST_FIRST: readonly Outcome[] = ['dropped', 'summarised', 'converted', 'kept'];

/**
 * Builds the report of a handoff: one row for each kind, outcome and way. Every conversation event of the session is in
 * exactly one row, so the rows add up to the totals (`state` rows aside).
 */
export class FidelityReportBuilder {
  readonly #rows = new Map<string, FidelityRow>();

  /** One event with its tokens (of the target, estimated). Seqs of one row should mostly ascend. */
  add(seq: number, kind: string, { outcome, how }: Fate, tokens: number): void {
    const key = `${kind}\0${outcome}\0${how}`;
    let row = this.#rows.get(key);
    if (!row) {
      row = { kind, outcome, how, count: 0, tokens: 0, seqs: [] };
      this.#rows.set(key, row);
    }
    row.count++;
    row.tokens += tokens;
    const last = row.seqs.at(-1);
    if (last && last[1] === seq - 1) last[1] = seq;
    else row.seqs.push([seq, seq]);
  }

  /**
   * Declares every event that is not in the model view (`order`): other branches, what a compaction took, unknown
   * records, the client's own. They cost no tokens, since the agent itself does not send them either. Derived events
   * are carried by their call and not counted again. `all`: what becomes of every one of them instead.
   */
  addOutside(index: SessionIndex, sight: Sight, order: Uint32Array, all?: Fate): void {
    const inside = new Uint8Array(index.n);
    for (const seq of order) inside[seq] = 1;
    for (let seq = 0; seq < index.n; seq++) {
      if (inside[seq]) continue;
      const code = index.type[seq]!;
      const mark = index.flags[seq]! & MARK_MASK;
      if (code === OTHER_TYPE || (code === CODE.meta && mark === MARK.UNKNOWN))
        this.add(seq, 'unknown', all ?? UNKNOWN, 0);
      else if (!CONVERSATION[code]) {
        if (code === CODE.meta) this.add(seq, STATE, all ?? OWN, 0);
      } else if (isOwn(code, mark)) this.add(seq, STATE, all ?? OWN, 0);
      else if (!sight.active[seq]) this.add(seq, kindOfCode(code), all ?? DEAD, 0);
      else this.add(seq, kindOfCode(code), all ?? COMPACTED, 0);
    }
  }

  /** Worst outcome first, within it the most tokens, then the most events. */
  build(): FidelityReport {
    const rows = [...this.#rows.values()].sort(
      (a, b) =>
        WORST_FIRST.indexOf(a.outcome) - WORST_FIRST.indexOf(b.outcome) ||
        b.tokens - a.tokens ||
        b.count - a.count ||
        (a.kind < b.kind ? -1 : 1),
    );
    const events = { total: 0, arriving: 0 };
    const tokens = { total: 0, arriving: 0 };
    for (const row of rows) {
      if (row.kind === STATE) continue;
      events.total += row.count;
      tokens.total += row.tokens;
      if (row.outcome !== 'kept' && row.outcome !== 'converted') continue;
      events.arriving += row.count;
      tokens.arriving += row.tokens;
    }
    return { rows, events, tokens };
  }
}

/** What the client wrote for its user or itself: notes that stay at home, error notices in the place of a reply. */
function isOwn(code: number, mark: number): boolean {
  if (code === CODE.compacted) return mark === MARK.EDIT;
  return (code === CODE.system && mark !== MARK.TO_MODEL) || (ANSWER[code] === 1 && (mark & MARK.SYNTHETIC) !== 0);
}

function kindOfCode(code: number): string {
  switch (code) {
    case CODE.user:
      return 'prompt';
    case CODE.assistant:
      return 'reply';
    case CODE.thinking:
      return 'thinking';
    case CODE.system:
      return 'context';
    case CODE.compacted:
      return 'compaction';
    default:
      return 'tool';
  }
}

/** Throws when a report does not add up: each event in one row, ranges as long as counts, sums equal to totals. */
export function checkReport(report: FidelityReport): void {
  const seen = new Set<number>();
  let events = 0;
  let tokens = 0;
  for (const row of report.rows) {
    let count = 0;
    for (const [from, to] of row.seqs) {
      for (let seq = from; seq <= to; seq++, count++) {
        if (seen.has(seq)) throw new Error(`event ${seq} is counted twice in the fidelity report`);
        seen.add(seq);
      }
    }
    if (count !== row.count) throw new Error(`row "${row.kind}" names ${count} events and counts ${row.count}`);
    if (row.kind === STATE) continue;
    events += row.count;
    tokens += row.tokens;
  }
  if (events !== report.events.total || tokens !== report.tokens.total)
    throw new Error('the rows of the fidelity report do not add up to its totals');
}
