import type { FidelityReport, FidelityRow, Outcome } from '../../shared/handoff.ts';

/** Worst first: what is lost is what the reader came for. */
export const OUTCOMES: readonly Outcome[] = ['dropped', 'summarised', 'converted', 'kept'];

/** Rows worst first, the largest loss first within an outcome. */
export const worstFirst = (rows: readonly FidelityRow[]): FidelityRow[] =>
  [...rows].sort(
    (a, b) => OUTCOMES.indexOf(a.outcome) - OUTCOMES.indexOf(b.outcome) || b.tokens - a.tokens || b.count - a.count,
  );

/** Tokens by outcome, worst first, without empty ones. */
export function shares(report: FidelityReport): { outcome: Outcome; tokens: number }[] {
  return OUTCOMES.map((outcome) => ({
    outcome,
    tokens: report.rows.filter((row) => row.outcome === outcome).reduce((sum, row) => sum + row.tokens, 0),
  })).filter((share) => share.tokens > 0);
}

/** The first `limit` event numbers of a row, and how many there are in all. */
export function eventsOf(row: FidelityRow, limit: number): { seqs: number[]; total: number } {
  const total = row.seqs.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  const seqs: number[] = [];
  for (const [from, to] of row.seqs) for (let seq = from; seq <= to && seqs.length < limit; seq += 1) seqs.push(seq);
  return { seqs, total };
}
