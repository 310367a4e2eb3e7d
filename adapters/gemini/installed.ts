import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentEnv, Installed } from '../contract.ts';
import { findProgram } from '../io/program.ts';
import { isObject } from './read/record.ts';

/** Finds `gemini` on PATH. Its version stands in its package; a program without one is asked. null = not installed. */
export function findGemini(env: AgentEnv): Promise<Installed | null> {
  return findProgram('gemini', env, { readVersion: packageVersion });
}

/** The program is a link into `@google/gemini-cli/bundle` (before: `dist`). */
async function packageVersion(path: string): Promise<string | null> {
  try {
    const folder = dirname(dirname(await realpath(path)));
    const parsed: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    if (!isObject(parsed) || parsed.name !== '@google/gemini-cli') return null;
    return typeof parsed.version === 'string' ? parsed.version : null;
  } catch {
    return null;
  }
}
