import { clip, safeJson, safeLine, safeOutput, width } from '../core/safe-text.ts';
import { type AppError, exitCodeOf, type Result } from '../shared/errors.ts';
import type { CliIo } from './io.ts';

const STYLES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;
export type Style = keyof typeof STYLES;

export interface Column<T> {
  head: string;
  cell: (row: T) => string;
  align?: 'right';
  /** may be cut when the table is wider than the terminal; at most one column */
  grows?: boolean;
}

/**
 * All the CLI's output. Results go to stdout: one JSON object with `--json`, else text for people. What is said beside
 * the result (progress, hints) goes to stderr.
 */
export class Output {
  readonly json: boolean;
  readonly #io: CliIo;
  readonly #color: { stdout: boolean; stderr: boolean };
  #line = false;
  /** one for all who wait for a slow reader */
  #drained: Promise<void> | undefined;

  constructor(io: CliIo, options: { json: boolean; color?: boolean | undefined }) {
    this.#io = io;
    this.json = options.json;
    const wanted = options.color ?? (!io.env.NO_COLOR && io.env.TERM !== 'dumb');
    this.#color = {
      stdout: wanted && !options.json && io.stdout.isTTY === true,
      stderr: wanted && io.stderr.isTTY === true,
    };
  }

  get columns(): number {
    return this.#io.stdout.isTTY ? (this.#io.stdout.columns ?? 80) : 200;
  }

  /** A line of the result, for people. Silent with `--json`. */
  line(text = ''): void {
    if (!this.json) this.write(`${text}\n`);
  }

  /** Text on stdout, as JSON or for people; resolves when it may go on. */
  write(text: string): Promise<void> | undefined {
    // safeJson has made JSON safe
    if (this.#io.stdout.write(this.json ? text : safeOutput(text, this.#color.stdout))) return undefined;
    this.#drained ??= new Promise<void>((resolve) => this.#io.stdout.once('drain', resolve)).then(() => {
      this.#drained = undefined;
    });
    return this.#drained;
  }

  /** A remark beside the result. */
  note(text: string): void {
    this.clearProgress();
    this.#io.stderr.write(`${safeOutput(text, this.#color.stderr)}\n`);
  }

  /** One line on a terminal's stderr that the next one replaces. */
  progress(text: string): void {
    if (this.#io.stderr.isTTY !== true) return;
    this.#io.stderr.write(`\r\x1b[2K${clip(safeLine(text), (this.#io.stderr.columns ?? 80) - 1)}`);
    this.#line = true;
  }

  clearProgress(): void {
    if (this.#line) this.#io.stderr.write('\r\x1b[2K');
    this.#line = false;
  }

  style(style: Style, text: string, stream: 'stdout' | 'stderr' = 'stdout'): string {
    const [on, off] = STYLES[style];
    return this.#color[stream] ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  }

  /** Rows in aligned columns, the head dimmed; the growing column is cut to fit the terminal. */
  table<T>(rows: readonly T[], columns: Column<T>[]): void {
    if (this.json) return;
    const cells = rows.map((row) => columns.map((column) => safeLine(column.cell(row))));
    const widths = columns.map((column, c) => Math.max(width(column.head), ...cells.map((row) => width(row[c] ?? ''))));
    const grows = columns.findIndex((column) => column.grows);
    const over = widths.reduce((sum, w) => sum + w + 2, -2) - this.columns;
    if (grows >= 0 && over > 0) widths[grows] = Math.max(8, (widths[grows] ?? 0) - over);
    const lay = (row: string[]): string =>
      row
        .map((cell, c) => pad(clip(cell, widths[c]!), widths[c]!, columns[c]!.align))
        .join('  ')
        .trimEnd();
    this.line(this.style('dim', lay(columns.map((column) => column.head))));
    for (const row of cells) this.line(lay(row));
  }

  /** Two columns of names and values. */
  facts(rows: [name: string, value: string][]): void {
    const longest = Math.max(...rows.map(([name]) => width(name)));
    for (const [name, value] of rows) this.line(`${this.style('dim', pad(name, longest))}  ${safeLine(value)}`);
  }

  /** The end of a command: its value as JSON, or `human`; its error on the right stream. Returns the exit code. */
  end<T>(result: Result<T>, human?: (value: T) => void): number {
    this.clearProgress();
    if (!result.ok) return this.fail(result.error);
    if (this.json) this.write(`${safeJson({ ok: true, value: result.value })}\n`);
    else human?.(result.value);
    return 0;
  }

  fail(error: AppError): number {
    this.clearProgress();
    if (this.json) this.write(`${safeJson({ ok: false, error })}\n`);
    else {
      this.#io.stderr.write(`${this.style('red', 'sessionctl:', 'stderr')} ${safeLine(error.message)}\n`);
      for (const text of hintsOf(error)) this.#io.stderr.write(`  ${safeLine(text)}\n`);
    }
    return exitCodeOf(error.code);
  }
}

function pad(text: string, columns: number, align?: 'right'): string {
  const space = ' '.repeat(Math.max(0, columns - width(text)));
  return align === 'right' ? space + text : text + space;
}

/** Candidates of an ambiguous handle, one a line. */
function hintsOf(error: AppError): string[] {
  const candidates = error.details?.candidates;
  if (!Array.isArray(candidates)) return [];
  return candidates.map((candidate: Record<string, unknown>) =>
    [candidate.id, candidate.agent, candidate.source ?? candidate.native_id, candidate.title]
      .filter(Boolean)
      .join('  '),
  );
}
