import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Engine, EngineOptions } from '../engine/engine.ts';
import { VERSION } from '../shared/version.ts';
import type { CliIo } from './io.ts';

export interface HomeOptions {
  /** --home */
  home?: string | undefined;
}

/** SESSIONCTL_HOME: the flag, the variable, else ~/.sessionctl. */
export function homeOf(io: CliIo, options: HomeOptions): string {
  const chosen = options.home ?? io.env.SESSIONCTL_HOME;
  return chosen ? resolve(io.cwd, chosen) : join(userHome(io), '.sessionctl');
}

export const userHome = (io: CliIo): string => io.env.HOME ?? io.env.USERPROFILE ?? homedir();

/** An engine for one command. The engine's code is loaded here, so that `--help` does without. */
export async function engineFor(
  cli: HomeOptions & { io: CliIo },
  more: Pick<EngineOptions, 'host' | 'watch' | 'passphrase' | 'actor'>,
): Promise<Engine> {
  const { openEngine } = await import('../engine/engine.ts');
  const { io } = cli;
  return openEngine({ ...more, home: homeOf(io, cli), agents: { home: userHome(io), env: io.env }, version: VERSION });
}
