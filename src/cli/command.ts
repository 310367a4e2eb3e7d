import type { Engine, EngineOptions } from '../engine/engine.ts';
import type { AppError, Result } from '../shared/errors.ts';
import { engineFor, homeOf } from './engine-host.ts';
import type { CliIo } from './io.ts';
import type { Output } from './output.ts';
import { isInteractive } from './prompt.ts';

/** What every command gets: streams, output, and the options all commands have. */
export interface Cli {
  io: CliIo;
  output: Output;
  home?: string | undefined;
  /** aborted by Ctrl-C, SIGTERM or a reader that went away; the reason names which */
  signal: AbortSignal;
  /** Gives the terminal to another program while `work` runs. */
  lend<T>(work: Promise<T>): Promise<T>;
}

/** A command's code, loaded when it is called. Resolves to the exit code. */
export type Run<O, A extends unknown[] = []> = (cli: Cli, options: O, ...args: A) => Promise<number>;

/** Runs `use` with an engine and closes it, whatever happens. A locked store asks for its passphrase on a terminal. */
export async function withEngine(
  cli: Cli,
  use: (engine: Engine) => Promise<number>,
  more: Pick<EngineOptions, 'watch' | 'host'> = { host: 'cli' },
): Promise<number> {
  const passphrase = await askPassphrase(cli);
  const engine = await engineFor(cli, { ...more, ...(passphrase === undefined ? {} : { passphrase }) });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

async function askPassphrase(cli: Cli): Promise<string | undefined> {
  if (!isInteractive(cli.io) || cli.io.env.SESSIONCTL_PASSPHRASE !== undefined) return undefined;
  const { passphraseFor } = await import('./unlock.ts');
  return passphraseFor(cli, homeOf(cli.io, cli));
}

/** The answer of a command that only asks the engine one thing. */
export function answer<T>(
  cli: Cli,
  ask: (engine: Engine) => Promise<Result<T>>,
  human: (value: T) => void,
): Promise<number> {
  return withEngine(cli, async (engine) => cli.output.end(await ask(engine), human));
}

/** The end of work that was stopped before it was done (Ctrl-C, SIGTERM, a reader that went away). */
export const STOPPED: AppError = { code: 'cancelled', message: 'Stopped.' };
