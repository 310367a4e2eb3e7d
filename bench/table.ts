import type { Figure } from './report.ts';

/** All figures below each other, as a table in Markdown: what was measured, its floor and ratio, the bar, and whether it is met. */
export function asTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, unit, floor, ratio, bar, met }) => [
    name,
    `${value} ${unit}`,
    floor === null ? '' : `${floor} ${unit}`,
    ratio === null ? '' : `${ratio} ×`,
    bar === null ? '' : `${bar} ${ratio === null ? unit : '×'}`,
    met === null ? '' : met ? 'met' : 'missed',
  ]);
  const all = [['figure', 'measured', 'floor', 'ratio', 'bar', ''], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(3, ...all.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...others] = all;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...others.map(line)].join('\n');
}
