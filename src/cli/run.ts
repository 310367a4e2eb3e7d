import { type Command, CommanderError } from 'commander';
import { toAppError } from '../shared/errors.ts';
import type { Cli } from './command.ts';
import type { CliIo } from './io.ts';
import { Output } from './output.ts';
import { pagedIo } from './pager.ts';
import type { CommandSpec } from './program/add.ts';
import { buildProgram } from './program/program.ts';
import { watchStops } from './stops.ts';

/** What the shared options parse to. */
interface Shared {
  json?: boolean;
  jsonl?: boolean;
  home?: string;
  /** of `init`: another name for it */
  store?: string;
  color?: boolean;
  pager?: boolean;
}

/**
 * Runs the CLI and resolves to its exit code: 0 done, 1 refused or failed, 2 bad arguments, 3 ambiguous, 4 corrupt,
 * 128 + n stopped by signal n. Without arguments a terminal is shown where things stand, and what to do next; a pipe
 * gets the help.
 */
export async function runCli(argv: string[], io: CliIo): Promise<number> {
  if (argv[0] === '__complete') return (await import('./complete/answer.ts')).answerShell(argv.slice(1), io);
  let code = 0;
  const program = buildProgram(io, (spec) => async (...args) => {
    code = await runCommand(io, spec, args);
  });
  try {
    if (argv.length > 0) await program.parseAsync(argv, { from: 'user' });
    else if (io.stdout.isTTY) await program.parseAsync(['status'], { from: 'user' });
    else program.outputHelp();
    return code;
  } catch (error) {
    return usageError(error, argv, io, program);
  }
}

/** One command, with its streams, its output and its end. */
async function runCommand(io: CliIo, spec: CommandSpec, args: unknown[]): Promise<number> {
  const options = (args.at(-1) as Command).opts<Shared>();
  const lines = options.jsonl === true;
  const json = lines || options.json === true;
  const pager = spec.pages && !json && options.pager !== false ? pagedIo(io) : null;
  const streams = pager?.io ?? io;
  const stops = watchStops(streams);
  const output = new Output(streams, { json, lines, color: options.color, readerGone: () => stops.readerGone });
  const cli: Cli = { io: streams, output, home: options.home ?? options.store, signal: stops.signal, lend: stops.lend };
  try {
    const run = (await spec.run()) as (cli: Cli, ...rest: unknown[]) => Promise<number>;
    const code = await run(cli, options, ...args.slice(0, -2)).catch((error: unknown) =>
      output.fail(toAppError(error)),
    );
    await output.flush();
    const unread = pager === null ? null : await stops.lend(pager.close());
    const end = stops.end(code);
    const error = unread ?? end.error;
    return error ? new Output(io, { json, color: options.color }).fail(error) : end.code;
  } finally {
    stops.release();
  }
}

/** Commander's complaints; with `--json` they too are one object. */
function usageError(error: unknown, argv: string[], io: CliIo, program: Command): number {
  const output = new Output(io, {
    json: argv.includes('--json') || argv.includes('--jsonl'),
    color: argv.includes('--no-color') ? false : undefined,
  });
  if (!(error instanceof CommanderError)) return output.fail(toAppError(error));
  if (error.exitCode === 0) return 0;
  const message = error.message
    .replace(/^error: /, '')
    .replace(/\n/g, ' ')
    .replace(/\.$/, '');
  return output.fail({ code: 'invalid_request', message: `${message}. See \`${nameOf(program, argv)} --help\`.` });
}

/** The command that was meant, as it is typed: `sessionctl sources enable`. */
function nameOf(program: Command, argv: string[]): string {
  let command = program;
  const names = [program.name()];
  for (const word of argv) {
    const next = command.commands.find((candidate) => candidate.name() === word);
    if (!next) break;
    command = next;
    names.push(word);
  }
  return names.join(' ');
}
