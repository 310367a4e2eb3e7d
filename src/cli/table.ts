import { clip, safeLine, width } from '../core/safe-text.ts';

export interface Column<T> {
  head: string;
  cell: (row: T) => string;
  align?: 'right';
  /** may be cut when the table is wider than the terminal; at most one column */
  grows?: boolean;
  /** left out where the terminal is too narrow for all, the last one first */
  optional?: boolean;
}

const GAP = '  ';
/** A column that can be cut keeps this much while others can go instead, */
const COMFORTABLE = 24;
/** and this much in any case: below it says nothing any more. */
const NARROWEST = 8;

/** The lines of a table, its head first, none wider than the terminal. Widths are those that a terminal shows. */
export function layTable<T>(rows: readonly T[], columns: readonly Column<T>[], terminal: number): string[] {
  const cells = rows.map((row) => columns.map((column) => safeLine(column.cell(row))));
  const natural = columns.map(({ head }, c) => Math.max(width(head), ...cells.map((row) => width(row[c]!))));
  const { shown, widths } = fitColumns(columns, natural, terminal);
  const lay = (row: string[]): string => {
    const laid = shown.map((c) => pad(clip(row[c]!, widths[c]!), widths[c]!, columns[c]!.align));
    return clip(laid.join(GAP).trimEnd(), terminal);
  };
  return [lay(columns.map(({ head }) => head)), ...cells.map(lay)];
}

/** Which columns are shown, and how wide: the growing one gives way, then optional ones go, then it gives way once more. */
function fitColumns(
  columns: readonly Pick<Column<never>, 'grows' | 'optional'>[],
  natural: readonly number[],
  terminal: number,
): { shown: number[]; widths: number[] } {
  const widths = [...natural];
  let shown = columns.map((_, c) => c);
  const grows = columns.findIndex((column) => column.grows);
  const over = (): number => shown.reduce((sum, c) => sum + widths[c]! + GAP.length, -GAP.length) - terminal;
  const shrink = (least: number): void => {
    if (grows < 0) return;
    widths[grows] = natural[grows]!;
    widths[grows] = Math.max(Math.min(least, natural[grows]!), natural[grows]! - Math.max(0, over()));
  };
  for (;;) {
    shrink(COMFORTABLE);
    const last = shown.findLast((c) => columns[c]!.optional);
    if (over() <= 0 || last === undefined) break;
    shown = shown.filter((c) => c !== last);
  }
  shrink(NARROWEST);
  return { shown, widths };
}

export function pad(text: string, columns: number, align?: 'right'): string {
  const space = ' '.repeat(Math.max(0, columns - width(text)));
  return align === 'right' ? space + text : text + space;
}
