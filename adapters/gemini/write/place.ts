import { join, resolve } from 'node:path';
import type { AgentEnv } from '../../contract.ts';
import { realFolder } from '../../io/real-folder.ts';
import { CHATS, geminiHome, projectHash, projectsFolder } from '../home.ts';
import { slugOf } from '../project.ts';

/** What a version keeps its sessions in (FORMAT.md). */
export interface Shape {
  name: string;
  /** one document with all messages, as versions before 0.39 write it; else lines */
  document: boolean;
  /** folder below `tmp`, by the project's hash */
  byHash: boolean;
  /** the version sends thoughts to its model, and calls among the parts of an answer twice: neither is written for it */
  plain: boolean;
}

const LINES: Shape = { name: 'session lines (.jsonl)', document: false, byHash: false, plain: false };
const PLAIN: Shape = { ...LINES, plain: true };
const DOCUMENT: Shape = {
  name: 'session document (.json, read by every version)',
  document: true,
  byHash: false,
  plain: true,
};
const OLD: Shape = { ...DOCUMENT, name: 'session document in the folder of old versions', byHash: true };

/** First versions, as [major, minor], that append lines, and that name a project's folder by a slug. */
const WITH_LINES = [0, 39] as const;
const WITH_SLUGS = [0, 29] as const;
/** Takes thoughts out of what it sends (0.52 does, 0.44 does not). */
const WITH_HARDENING = [0, 52] as const;

export function shapeOf(version: string | null): Shape {
  const match = /^(\d+)\.(\d+)/.exec(version ?? '');
  if (match === null) return DOCUMENT;
  const is = ([major, minor]: readonly [number, number]): boolean =>
    Number(match[1]) > major || (Number(match[1]) === major && Number(match[2]) >= minor);
  if (is(WITH_HARDENING)) return LINES;
  return is(WITH_LINES) ? PLAIN : is(WITH_SLUGS) ? DOCUMENT : OLD;
}

/** The project's path as the client has it: it is started in the folder and sees where links lead (run with 0.61). */
export function rootOf(cwd: string): string {
  return resolve(realFolder(cwd));
}

/** The project's folder below `tmp`. */
export function projectFolder(env: AgentEnv, version: string | null, cwd: string): string {
  const home = geminiHome(env);
  const root = rootOf(cwd);
  return join(projectsFolder(home), shapeOf(version).byHash ? projectHash(root) : slugOf(home, root));
}

/**
 * Path of a new session. The client deletes every file whose name ends in the first 8 characters of an id, together with
 * the empty file that a resume leaves behind; behind this ending it does not look, and lists and resumes the file all the same.
 */
export function sessionPath(env: AgentEnv, version: string | null, cwd: string, id: string, at: number): string {
  const minute = new Date(at * 1000).toISOString().slice(0, 16).replaceAll(':', '-');
  const extension = shapeOf(version).document ? 'json' : 'jsonl';
  return join(projectFolder(env, version, cwd), CHATS, `session-${minute}-${id.slice(0, 8)}-carried.${extension}`);
}
