import { clip, safeJson, safeLine, safeOutput, width } from '../core/safe-text.ts';
import { shellCommand } from '../core/shell-command.ts';
import { type AppError, exitCodeOf, type Result } from '../shared/errors.ts';
import { isColored } from './colors.ts';
import type { CliIo } from './io.ts';
import { type Column, layTable, pad } from './table.ts';

const STYLES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;
export type Style = keyof typeof STYLES;

export interface OutputOptions {
  json: boolean;
  /** JSON, a row of the result a line, instead of one object */
  lines?: boolean;
  /** false: none, whatever else is said; see colors.ts */
  color?: boolean | undefined;
  /** true when nobody reads stdout any more: then that a command ended early is not said */
  readerGone?: () => boolean;
}

/**
 * All the CLI's output. Results go to stdout: one JSON object with `--json`, else text for people. What is said beside
 * the result (errors, remarks, progress) goes to stderr, with `--json` as one JSON object a line.
 */
export class Output {
  /** a program reads: one object, or with `lines` a row a line */
  readonly json: boolean;
  readonly lines: boolean;
  readonly #io: CliIo;
  readonly #color: { stdout: boolean; stderr: boolean };
  readonly #readerGone: () => boolean;
  readonly #typed: string;
  #line = false;
  #wrote = false;
  /** one for all who wait for a slow reader */
  #drained: Promise<void> | undefined;

  constructor(io: CliIo, { json, lines = false, color, readerGone = () => false }: OutputOptions) {
    this.#io = io;
    this.json = json;
    this.lines = lines;
    this.#color = {
      stdout: !json && isColored(io.env, color, io.stdout),
      stderr: !json && isColored(io.env, color, io.stderr),
    };
    this.#readerGone = readerGone;
    this.#typed = shellCommand([io.env.SESSIONCTL_TYPED || 'sessionctl'], null).text;
  }

  get columns(): number {
    return this.#io.stdout.isTTY ? this.#io.stdout.columns || 80 : 200;
  }

  /** A line of the result, for people. Silent with `--json`. */
  line(text = ''): void {
    if (!this.json) this.write(`${text}\n`);
  }

  /** Text on stdout, as JSON or for people; resolves when it may go on. */
  write(text: string): Promise<void> | undefined {
    this.clearProgress();
    const { stdout } = this.#io;
    if (stdout.destroyed || this.#readerGone()) return undefined;
    this.#wrote = true;
    // safeJson has made JSON safe
    if (stdout.write(this.json ? text : safeOutput(text, this.#color.stdout))) return undefined;
    this.#drained ??= new Promise<void>((resolve) => {
      const go = (): void => {
        stdout.off('drain', go).off('close', go);
        resolve();
      };
      // a stream that was closed never drains
      stdout.on('drain', go).on('close', go);
    }).then(() => {
      this.#drained = undefined;
    });
    return this.#drained;
  }

  /** A row of the result, with `lines`; resolves when it may go on. */
  row(value: unknown): Promise<void> | undefined {
    return this.write(`${safeJson(value)}\n`);
  }

  /** Resolves when all of it is written, or cannot be. A stream that nothing was written to is left alone. */
  async flush(): Promise<void> {
    this.clearProgress();
    const { stdout } = this.#io;
    if (this.#wrote && !stdout.destroyed) await new Promise<void>((resolve) => stdout.write('', () => resolve()));
  }

  /** A remark beside the result. */
  note(text: string): void {
    this.#say(this.json ? safeJson({ note: text }) : safeOutput(text, this.#color.stderr));
  }

  /** One line on a terminal's stderr that the next one replaces. */
  progress(text: string): void {
    const { stderr, env } = this.#io;
    if (stderr.isTTY !== true || this.json || env.TERM === 'dumb') return;
    stderr.write(`\r\x1b[2K${clip(safeLine(text), (stderr.columns || 80) - 1)}`);
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

  /** A text that begins with one of our commands, as it can be typed here: bin/sessionctl tells how where none is on the PATH. */
  typed(command: string): string {
    return this.#typed === 'sessionctl' ? command : command.replace(/^sessionctl(?= )/, () => this.#typed);
  }

  /** Rows in aligned columns, the head dimmed, never wider than the terminal (table.ts). */
  table<T>(rows: readonly T[], columns: readonly Column<T>[]): void {
    if (this.json) return;
    const [head = '', ...lines] = layTable(rows, columns, this.columns);
    this.line(this.style('dim', head));
    for (const line of lines) this.line(line);
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

  /** An error, on stderr: a line for people and its candidates, or one JSON object. Returns the exit code. */
  fail(error: AppError): number {
    const code = exitCodeOf(error.code);
    if (error.code === 'cancelled' && this.#readerGone()) return code;
    if (this.json) this.#say(safeJson({ ok: false, error }));
    else {
      this.#say(`${this.style('red', 'sessionctl:', 'stderr')} ${safeLine(this.#inMessage(error.message))}`);
      for (const text of hintsOf(error)) this.#say(`  ${safeLine(text)}`);
    }
    return code;
  }

  /** Commands in a message stand between backticks. */
  #inMessage(message: string): string {
    return message.replace(/(?<=`)sessionctl [^`]*/g, (command) => this.typed(command));
  }

  #say(line: string): void {
    this.clearProgress();
    this.#io.stderr.write(`${line}\n`);
  }
}

/** What there is to choose from, sessions or agents, one a line. */
function hintsOf(error: AppError): string[] {
  const candidates = error.details?.candidates;
  if (!Array.isArray(candidates)) return [];
  return candidates.map((candidate: Record<string, unknown>) =>
    [
      candidate.id,
      candidate.agent,
      candidate.source ?? candidate.native_id ?? candidate.label,
      candidate.title ?? candidate.version,
    ]
      .filter(Boolean)
      .join('  '),
  );
}
