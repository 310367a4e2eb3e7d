import { type Command, CommanderError } from 'commander';
import { toAppError } from '../shared/errors.ts';
import type { Cli } from './command.ts';
import type { CliIo } from './io.ts';
import { Output } from './output.ts';
import { buildProgram } from './program/program.ts';

/** What the shared options parse to. */
interface Shared {
  json?: boolean;
  home?: string;
  color?: boolean;
}

/** Runs the CLI and resolves to its exit code: 0 done, 1 refused or failed, 2 bad arguments, 3 ambiguous, 4 corrupt. */
export async function runCli(argv: string[], io: CliIo): Promise<number> {
  let code = 0;
  const abort = new AbortController();
  const interrupt = (): void => abort.abort();
  process.once('SIGINT', interrupt);
  const program = buildProgram(io, (action) => async (...args) => {
    const command = args.at(-1) as Command;
    const options = command.opts<Shared>();
    const output = new Output(io, { json: options.json === true, color: options.color === false ? false : undefined });
    const cli: Cli = { io, output, home: options.home, signal: abort.signal };
    const run = (await action()) as (cli: Cli, ...rest: unknown[]) => Promise<number>;
    code = await run(cli, options, ...args.slice(0, -2)).catch((error: unknown) => output.fail(toAppError(error)));
  });
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    return usageError(error, argv, io, program);
  } finally {
    process.off('SIGINT', interrupt);
  }
}

/** Commander's complaints; with `--json` they too are one object on stdout. */
function usageError(error: unknown, argv: string[], io: CliIo, program: Command): number {
  const output = new Output(io, { json: argv.includes('--json') });
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
