/** Prints the reports as a table for people; `--json` prints them as they are. */
import type { SessionReport } from './scenario.ts';

const HEAD = [
  'scenario',
  'session',
  'facts',
  'wrong',
  'calls',
  'images',
  'thinking',
  'declared',
  'withheld',
  'picker',
  'verdict',
];

/** The table and, under it, everything that went wrong. */
export function table(reports: readonly SessionReport[]): string {
  const lines = [HEAD, ...reports.map(cells)];
  const widths = HEAD.map((_name, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const rows = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const details = reports.flatMap((report) =>
    report.problems.map((problem) => `  ${report.scenario} ${report.id.slice(0, 8)}: ${problem}`),
  );
  return [...rows, ...(details.length > 0 ? ['', 'Problems:', ...details] : [])].join('\n');
}

function cells(report: SessionReport): string[] {
  const { comparison } = report;
  if (!comparison) return [report.scenario, report.id.slice(0, 8), '', '', '', '', '', '', '', '', report.verdict];
  const wrong = comparison.differences.filter((difference) => difference.what !== 'lost').length;
  return [
    report.scenario,
    report.id.slice(0, 8),
    `${comparison.carried}/${comparison.total}`,
    String(wrong),
    `${comparison.calls.carried}/${comparison.calls.total}`,
    `${comparison.images.carried}/${comparison.images.total}`,
    thinking(report),
    String(report.declared.length),
    String(comparison.redacted),
    `${report.picker.fresh ? 'fresh' : '–'} ${report.picker.used ? 'used' : '–'}`,
    report.verdict,
  ];
}

function thinking(report: SessionReport): string {
  const count = report.comparison?.thinking.source ?? 0;
  return count === 0 ? '–' : `${count} ${report.thinkingDeclared ? 'declared' : 'silent'}`;
}

/** A line a session while the run goes on. */
export function progress(reports: readonly SessionReport[]): string {
  return reports.map((report) => [report.scenario, report.verdict, ...report.problems].join(': ')).join('\n');
}

/** `N passed, N failed`, and what was not compared. */
export function closingLine(reports: readonly SessionReport[]): string {
  const count = (verdict: SessionReport['verdict']): number =>
    reports.filter((report) => report.verdict === verdict).length;
  const skipped = count('skipped') > 0 ? `, ${count('skipped')} skipped` : '';
  return `${count('passed')} passed, ${count('failed')} failed${skipped}`;
}

/** Sums over all reports, for the last lines and `--json`. */
export function totals(reports: readonly SessionReport[]): Record<string, number> {
  const sum = (value: (comparison: NonNullable<SessionReport['comparison']>) => number): number =>
    reports.reduce((total, report) => total + (report.comparison ? value(report.comparison) : 0), 0);
  return {
    facts: sum((comparison) => comparison.total),
    carried: sum((comparison) => comparison.carried),
    withheld: sum((comparison) => comparison.redacted),
    wrong: sum((comparison) => comparison.differences.filter((difference) => difference.what !== 'lost').length),
    calls: sum((comparison) => comparison.calls.total),
    calls_carried: sum((comparison) => comparison.calls.carried),
    images: sum((comparison) => comparison.images.total),
    images_carried: sum((comparison) => comparison.images.carried),
    declared_losses: reports.reduce((total, report) => total + report.declared.length, 0),
  };
}
