import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import type { AgentEnv } from '../../../adapters/contract.ts';

/** Each question is given so long. */
const GIT_MS = 2_000;
const MOST_BYTES = 1 << 20;
/** A repository with more filters than this is not one that people work in. */
const MOST_FILTERS = 200;

export type GitAnswer = { ok: true; text: string; isWhole: boolean } | { ok: false; why: string };

/**
 * Asks git about a folder whose files are not ours to trust. A repository's own settings can name programs: monitors,
 * hooks, filters that git runs on changed files, transports that fetch what is missing. None of them is run: they are
 * overruled by settings in the environment, which git puts above those of the repository. Nothing is written, no lock taken.
 */
export async function askGit(env: AgentEnv, folder: string, args: string[]): Promise<GitAnswer> {
  const filters = await filtersOf(env, folder);
  if (!filters.ok) return filters;
  return run(env, folder, args, [...OVERRULED, ...filters.names.flatMap(withoutProgram)]);
}

const OVERRULED: [string, string][] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', devNull],
  ['core.attributesFile', devNull],
  ['submodule.recurse', 'false'],
  ['status.submoduleSummary', 'false'],
  ['diff.external', ''],
];

const withoutProgram = (filter: string): [string, string][] => [
  [`filter.${filter}.clean`, ''],
  [`filter.${filter}.smudge`, ''],
  [`filter.${filter}.process`, ''],
  [`filter.${filter}.required`, 'false'],
];

/** Names of the filters that any setting in force defines. Reading settings runs nothing. */
async function filtersOf(
  env: AgentEnv,
  folder: string,
): Promise<{ ok: true; names: string[] } | { ok: false; why: string }> {
  // git answers 1 when there is no such setting
  const asked = ['config', '--null', '--name-only', '--get-regexp', '^filter\\.'];
  const answer = await run(env, folder, asked, OVERRULED, [1]);
  if (!answer.ok) return answer;
  const keys = answer.text.split('\0').filter((key) => key.startsWith('filter.'));
  const names = new Set(keys.map((key) => key.slice('filter.'.length, key.lastIndexOf('.'))));
  if (!answer.isWhole || names.size > MOST_FILTERS) return { ok: false, why: 'the repository sets too many filters' };
  return { ok: true, names: [...names] };
}

function run(
  env: AgentEnv,
  folder: string,
  args: string[],
  settings: [string, string][],
  fine: number[] = [],
): Promise<GitAnswer> {
  const options = { cwd: folder, env: environment(env, settings), timeout: GIT_MS, maxBuffer: MOST_BYTES };
  return new Promise((resolve) => {
    execFile('git', ['--no-optional-locks', ...args], options, (error, text) => {
      if (error === null || fine.includes(Number(error.code))) return resolve({ ok: true, text, isWhole: true });
      if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return resolve({ ok: true, text, isWhole: false });
      resolve({ ok: false, why: whyNot(error) });
    });
  });
}

function whyNot(error: Error & { code?: unknown; killed?: boolean }): string {
  if (error.code === 'ENOENT') return 'git was not found';
  if (error.killed) return `git gave no answer within ${GIT_MS / 1000} s`;
  return /not a git repository/.test(error.message) ? 'no git repository' : 'git refused to look at it';
}

/** Nothing of the caller's git settings but his own configuration; no transport, no question, no pager. */
function environment({ home, env }: AgentEnv, settings: [string, string][]): Record<string, string> {
  const pairs = settings.flatMap(([key, value], at): [string, string][] => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return {
    ...(env.PATH === undefined ? {} : { PATH: env.PATH }),
    ...(env.SYSTEMROOT === undefined ? {} : { SYSTEMROOT: env.SYSTEMROOT }),
    HOME: home,
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_PAGER: 'cat',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(pairs),
  };
}
