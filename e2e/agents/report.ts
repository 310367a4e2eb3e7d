/** Prints the reports as a table for people; `--json` prints them as they are. */
import type { SessionReport } from './scenario.ts';

const HEAD = [
  'pair',
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
    report.problems.map((problem) => `  ${pairOf(report)} ${report.scenario} ${report.id.slice(0, 8)}: ${problem}`),
  );
  return [...rows, ...(details.length > 0 ? ['', 'Problems:', ...details] : [])].join('\n');
}

function cells(report: SessionReport): string[] {
  const { comparison } = report;
  if (!comparison)
    return [pairOf(report), report.scenario, report.id.slice(0, 8), '', '', '', '', '', '', '', '', report.verdict];
  const wrong = comparison.differences.filter((difference) => difference.what !== 'lost').length;
  return [
    pairOf(report),
    report.scenario,
    report.id.slice(0, 8),
    `${comparison.carried}/${comparison.total}`,
    String(wrong),
    `${comparison.calls.carried}/${comparison.calls.total}`,
    `${comparison.images.carried}/${comparison.images.total}`,
    thinking(report),
    String(report.declared.length),
    String(comparison.redacted),
    `${listed('fresh', report.picker.fresh)} ${listed('used', report.picker.used)}`,
    report.verdict,
  ];
}

const pairOf = ({ from, to }: SessionReport): string => `${from} → ${to}`;

const listed = (where: string, is: boolean | null): string => (is === null ? '·' : is ? where : '–');

function thinking(report: SessionReport): string {
  const count = report.comparison?.thinking.source ?? 0;
  return count === 0 ? '–' : `${count} ${report.thinkingDeclared ? 'declared' : 'silent'}`;
}

/** A line a session while the run goes on. */
export function progress(reports: readonly SessionReport[]): string {
  return reports
    .map((report) => [pairOf(report), report.scenario, report.verdict, ...report.problems].join(': '))
    .join('\n');
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

/** Sums in a sentence. */
export function sumsLine(reports: readonly SessionReport[]): string {
  const sums = totals(reports);
  return (
    `Facts carried ${sums.carried}/${sums.facts} (${sums.withheld} with withheld text), wrongly shown ${sums.wrong}, ` +
    `tool calls as real calls ${sums.calls_carried}/${sums.calls}, images ${sums.images_carried}/${sums.images}, ` +
    `losses declared ${sums.declared_losses}.`
  );
}

/** A line a pair: sessions, and the sums over them. */
export function matrix(reports: readonly SessionReport[]): string {
  return [MATRIX, ...matrixRows(reports)].map((cells) => cells.join('  ')).join('\n');
}

const MATRIX = ['pair', 'sessions', 'facts', 'wrong', 'calls', 'images', 'declared', 'failed', 'skipped'];

function matrixRows(reports: readonly SessionReport[]): string[][] {
  return [...Map.groupBy(reports, pairOf)].map(([pair, own]) => {
    const sums = totals(own);
    const count = (verdict: SessionReport['verdict']) => String(own.filter((one) => one.verdict === verdict).length);
    return [
      pair,
      String(own.length),
      `${sums.carried}/${sums.facts}`,
      String(sums.wrong),
      `${sums.calls_carried}/${sums.calls}`,
      `${sums.images_carried}/${sums.images}`,
      String(sums.declared_losses),
      count('failed'),
      count('skipped'),
    ];
  });
}

/** The results as a page in Markdown: versions, date, the matrix, and every exception with its reason. */
export function page(reports: readonly SessionReport[], versions: Readonly<Record<string, string>>, on: Date): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const agents = Object.entries(versions).map(([id, version]) => `${id} ${version}`);
  const losses = reports.flatMap((report) =>
    report.declared.map(({ kind, expected }) => ({ report, cells: [kind, cell(expected ?? '')] })),
  );
  const problems = reports.flatMap((report) =>
    report.problems.map((problem) => ({ report, cells: [report.verdict, cell(problem)] })),
  );
  return [
    '# What the real agents send after a handoff',
    '',
    `Written by \`npm run conformance\` on ${on.toISOString().slice(0, 10)} with ${agents.join(', ')}. A fact is a prompt, a`,
    'reply, a call, a result, an image and so on (e2e/agents/facts.ts); the source agent itself, resuming its own session,',
    'is the oracle.',
    '',
    line(MATRIX),
    line(MATRIX.map(() => '---')),
    ...matrixRows(reports).map(line),
    '',
    sumsLine(reports),
    '',
    ...section('Losses that the fidelity report named', ['fact', 'text'], losses),
    ...section('Failed or not compared', ['verdict', 'why'], problems),
  ].join('\n');
}

interface Exception {
  report: SessionReport;
  cells: string[];
}

/** What is the same on the way to several targets stands once. */
function section(title: string, columns: readonly string[], exceptions: readonly Exception[]): string[] {
  if (exceptions.length === 0) return [];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const same = Map.groupBy(exceptions, ({ report: { from, scenario }, cells }) => line([from, scenario, ...cells]));
  const head = ['from', 'to', 'scenario', ...columns];
  const lines = [...same.values()].map((all) => {
    const [{ report, cells }] = all as [Exception];
    return line([report.from, [...new Set(all.map(({ report: { to } }) => to))].join(', '), report.scenario, ...cells]);
  });
  return [`## ${title}`, '', line(head), line(head.map(() => '---')), ...lines, ''];
}

/** Short, in one line, and without the folder in which this run took place. */
const cell = (text: string): string =>
  text
    .replaceAll(/\S*\/sc-\w{6}\//g, '…/')
    .replaceAll('|', '\\|')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 160);
