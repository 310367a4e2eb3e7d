import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import type { AgentEnv } from '../contract.ts';

/** `$CODEX_HOME`, default `~/.codex`. A relative value counts from the home folder. */
export function codexHome(env: AgentEnv): string {
  const set = env.env.CODEX_HOME;
  if (set === undefined || set === '') return join(env.home, '.codex');
  return isAbsolute(set) ? set : resolve(env.home, set);
}

/** What a rollout's file name says (FORMAT.md). */
export interface RolloutName {
  /** local time of creation, or of the rewind, as written: `2026-11-29T13-49-51` */
  stamp: string;
  threadId: string;
  /** names one file of a thread: the id after `_` in a file made by a rewind, else the thread's own */
  rolloutId: string;
  compressed: boolean;
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const NAME = new RegExp(
  `^rollout-(\\d{4}-\\d{2}-\\d{2}T\\d{2}-\\d{2}-\\d{2})-(${UUID})(?:_(${UUID}))?\\.jsonl(\\.zst)?$`,
);
/** That of the first client, which wrote a document (read/document.ts). */
const DOCUMENT = new RegExp(`^rollout-(\\d{4}-\\d{2}-\\d{2})-(${UUID})\\.json$`);

/** Parses a base name; null = not a rollout. */
export function parseRolloutName(name: string): RolloutName | null {
  const match = NAME.exec(name) ?? DOCUMENT.exec(name);
  if (match === null) return null;
  const [, stamp = '', threadId = '', rewound, zst] = match;
  return { stamp, threadId, rolloutId: rewound ?? threadId, compressed: zst !== undefined };
}

/** The name of a rollout's file as Codex made it: packing adds an ending, unpacking takes it off (FORMAT.md). */
export const plainName = (path: string): string => basename(path).replace(/\.zst$/, '');

/**
 * Where a rollout lay when Codex made it: archiving moves it into one flat folder, packing renames it, and both are undone
 * when it is taken up again. A file that lies anywhere else was put there by its user.
 */
export function firstPath(path: string, { stamp }: Pick<RolloutName, 'stamp'>): string {
  const folder = dirname(path);
  const [year = '', month = '', day = ''] = stamp.split(/[-T]/);
  const home = basename(folder) === 'archived_sessions' ? dirname(folder) : null;
  return home === null
    ? `${folder}${sep}${plainName(path)}`
    : join(home, 'sessions', year, month, day, plainName(path));
}

/**
 * Where Codex itself would put a thread made at `at` (seconds): folder and name carry the local time.
 * The zone is that of this process, as it is for Codex.
 */
export function rolloutPath(home: string, nativeId: string, at: number): string {
  const d = new Date(at * 1000);
  const two = (n: number): string => String(n).padStart(2, '0');
  const [year, month, day] = [String(d.getFullYear()), two(d.getMonth() + 1), two(d.getDate())];
  const time = `${two(d.getHours())}-${two(d.getMinutes())}-${two(d.getSeconds())}`;
  return join(home, 'sessions', year, month, day, `rollout-${year}-${month}-${day}T${time}-${nativeId}.jsonl`);
}

/** True for a version that writes and reads paginated rollouts; 0.144.6 refuses them, null = unknown (FORMAT.md). */
export function readsPaginated(version: string | null): boolean {
  const match = /^(\d+)\.(\d+)/.exec(version ?? '');
  if (match === null) return false;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > 0 || minor >= 149;
}
