import { lstat, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { AgentEnv } from '../../../adapters/contract.ts';
import type { Changed, Workspace } from '../../core/compile/workspace.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import { askGit } from './git.ts';

/** Of a huge repository so many changed files are named. */
const MOST_CHANGED = 2_000;
/** Files that are looked at for their time. */
const MOST_LOOKED_AT = 400;

/**
 * What the project's folder says now: git's status and the files changed last, of those that git calls changed and those
 * that the session (`files`) changed. Only names, states and times; no file is opened, nothing of the folder is run.
 *
 * @param at seconds since the epoch
 * Errors: unknown_cwd.
 */
export async function readWorkspace(
  env: AgentEnv,
  folder: string,
  files: readonly string[],
  at: number,
): Promise<Result<Workspace>> {
  const found = folder.includes('\0') ? null : await stat(folder).catch(() => null);
  if (!found?.isDirectory())
    return fail(
      'unknown_cwd',
      `${folder.replaceAll('\0', '')} is no folder on this machine. Name one: --workspace <dir>.`,
    );
  const git = await gitStatus(env, folder);
  const own = new Map(files.map((path) => [path, isAbsolute(path) ? path : resolve(folder, path)]));
  const inside = [...own].filter(([, path]) => isWithin(path, folder)).slice(-MOST_LOOKED_AT);
  const changed = 'why' in git ? [] : git.changed.slice(0, MOST_LOOKED_AT).map(({ path }) => join(git.top, path));
  const times = await timesOf([...new Set([...inside.map(([, path]) => path), ...changed])]);
  const recent = [...times]
    .flatMap(([path, time]) => (time === null ? [] : [{ path: relative(folder, path) || path, at: time }]))
    .toSorted((a, b) => b.at - a.at || (a.path < b.path ? -1 : 1));
  return ok({
    folder,
    at,
    git: 'why' in git ? null : { branch: git.branch, head: git.head, changed: git.changed, isWhole: git.isWhole },
    why: 'why' in git ? git.why : null,
    recent,
    missing: inside.filter(([, path]) => times.get(path) === null).map(([name]) => name),
  });
}

const isWithin = (path: string, folder: string): boolean =>
  !path.includes('\0') && path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);

/** Seconds at which each was changed; null = it is not there, or is no file. */
async function timesOf(paths: readonly string[]): Promise<Map<string, number | null>> {
  const times = new Map<string, number | null>();
  for (const path of paths) {
    const found = await lstat(path).catch(() => null);
    if (found === null) times.set(path, null);
    else if (found.isFile()) times.set(path, Math.floor(found.mtimeMs / 1000));
  }
  return times;
}

interface Status {
  top: string;
  branch: string | null;
  head: string | null;
  changed: Changed[];
  isWhole: boolean;
}

/** What git says of a folder, or why it says nothing. */
export async function gitStatus(env: AgentEnv, folder: string): Promise<Status | { why: string }> {
  const asked = await askGit(env, folder, ['rev-parse', '--show-toplevel']);
  if (!asked.ok) return asked;
  const top = asked.text.replace(/\r?\n$/, '');
  // a repository can call any folder its own: then only what lies in the folder that was asked for is told
  const isPlain = (await lstat(join(top, '.git')).catch(() => null)) !== null;
  const status = await askGit(env, folder, [
    'status',
    '--porcelain=v2',
    '--branch',
    '-z',
    '--untracked-files=normal',
    '--ignore-submodules=all',
    '--no-renames',
    '--no-ahead-behind',
    '--',
    isPlain ? ':/' : '.',
  ]);
  if (!status.ok) return status;
  return { top, ...parsed(status.text, status.isWhole) };
}

/** Records of `git status --porcelain=v2 -z` (git-status(1)): branch lines, `1` and `u` with fields before the path, `?`. */
function parsed(text: string, isWhole: boolean): Omit<Status, 'top'> {
  const records = text.split('\0');
  // behind the last NUL stands nothing, or a record that was cut
  records.pop();
  const status: Omit<Status, 'top'> = { branch: null, head: null, changed: [], isWhole };
  for (const record of records) {
    const [kind] = record;
    const branch = /^# branch\.(oid|head) (.*)$/s.exec(record);
    if (branch?.[1] === 'oid') status.head = branch[2] === '(initial)' ? null : (branch[2] ?? null);
    else if (branch?.[1] === 'head') status.branch = branch[2] === '(detached)' ? null : (branch[2] ?? null);
    else if (kind === '?') status.changed.push({ state: '??', path: record.slice(2) });
    else if (kind === '1' || kind === 'u') status.changed.push(changedOf(record, kind === '1' ? 8 : 10));
  }
  if (status.changed.length > MOST_CHANGED) {
    status.changed.length = MOST_CHANGED;
    status.isWhole = false;
  }
  return status;
}

function changedOf(record: string, fields: number): Changed {
  const parts = record.split(' ');
  return { state: (parts[1] ?? '').replaceAll('.', ''), path: parts.slice(fields).join(' ') };
}
