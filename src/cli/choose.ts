import { safeLine } from '../core/safe-text.ts';
import { type AppError, fail, ok, type Result } from '../shared/errors.ts';
import type { Cli } from './command.ts';
import { ask, isInteractive } from './prompt.ts';
import { type Column, layTable } from './table.ts';

/** Questions with a list to choose from. Nothing is chosen for a person, not even the only one of a list. */

/** Whether this command may ask: on a terminal, and not where a program reads. */
export const mayAsk = (cli: Cli): boolean => isInteractive(cli.io) && !cli.output.json;

/** Rows with numbers, and the one that was named. `what` is asked again until a number of the list is given. */
export async function chooseRow<T>(
  cli: Cli,
  what: string,
  rows: readonly T[],
  columns: readonly Column<T>[],
): Promise<T> {
  const numbered = rows.map((row, i) => ({ row, no: i + 1 }));
  const shown: Column<{ row: T; no: number }>[] = [
    { head: '', cell: ({ no }) => String(no), align: 'right' },
    ...columns.map((column) => ({ ...column, cell: ({ row }: { row: T }) => column.cell(row) })),
  ];
  const [head = '', ...lines] = layTable(numbered, shown, cli.io.stderr.columns || 80);
  cli.output.note(cli.output.style('dim', head, 'stderr'));
  for (const line of lines) cli.output.note(line);
  for (;;) {
    const typed = (await ask(cli, `${safeLine(what)} [1–${rows.length}]? `)).trim();
    const row = /^\d+$/.test(typed) ? rows[Number(typed) - 1] : undefined;
    if (row !== undefined) return row;
    cli.output.note(`Type a number from 1 to ${rows.length}, or press Ctrl-C.`);
  }
}

/** Yes or no; Enter alone is no. */
export async function confirm(cli: Cli, question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test((await ask(cli, `${question} [y/N] `)).trim());
}

/** What a program gets where a person would be asked: `selection_required` (exit code 3) with what there is to choose from. */
export function unchosen(message: string, candidates: readonly object[]): { ok: false; error: AppError } {
  return fail('selection_required', message, { candidates });
}

/** The one that a person chooses, or `selection_required` where nobody can be asked. */
export async function chosen<T extends object>(
  cli: Cli,
  { what, how, rows, columns }: { what: string; how: string; rows: readonly T[]; columns: readonly Column<T>[] },
): Promise<Result<T>> {
  return mayAsk(cli) ? ok(await chooseRow(cli, what, rows, columns)) : unchosen(how, rows);
}
