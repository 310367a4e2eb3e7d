import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Cli } from './command.ts';

/** What a person typed for a session, as the engine knows it: an existing path becomes absolute, all else stays. */
export function handleOf(cli: Cli, typed: string): string {
  const path = resolve(cli.io.cwd, typed);
  return /[\\/]|\.jsonl?(\.zst)?$/.test(typed) && existsSync(path) ? path : typed;
}
