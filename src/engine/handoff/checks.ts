import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AgentEnv, Installed, SessionAdapter } from '../../../adapters/contract.ts';
import { databasePath } from '../../../adapters/io/database-path.ts';
import type { Warning } from '../../shared/events.ts';
import type { Check } from '../../shared/handoff.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { StoreReader } from '../store/contract.ts';
import { gitStatus } from '../workspace/read-workspace.ts';
import { standingOf } from './standing.ts';

export interface Surroundings {
  env: AgentEnv;
  row: SessionRow;
  to: SessionAdapter;
  installed: Installed | null;
  cwd: string | null;
  files: string[];
}

/** What is around a handoff: the target's program, the folder, the source, the place to write. Looks, and changes nothing. */
export async function surroundings(reader: StoreReader, about: Surroundings): Promise<Check[]> {
  // no path has a NUL in it, whatever a session says
  const cwd = about.cwd?.includes('\0') === true ? null : about.cwd;
  const checks = [
    targetCheck(about.to, about.installed),
    await placeCheck(about.to, about.files),
    await cwdCheck(cwd),
    ...(await gitCheck(about.env, cwd)),
    ...runningCheck(about.row),
    ...(await sourceCheck(reader, about.row)),
  ];
  return checks;
}

/** The target's program takes the session in, and sets itself up by that. */
export function firstStart(label: string): Check {
  return {
    id: 'first-start',
    level: 'note',
    text: `${label} was never started in this home`,
    detail: 'It is started to take the session in, and then makes its own files and folders, which stay',
  };
}

function targetCheck(to: SessionAdapter, installed: Installed | null): Check {
  if (!installed)
    return {
      id: 'target',
      level: 'warn',
      text: `${to.label} was not found on this machine`,
      detail: 'The session is written all the same; install it to go on',
    };
  const version = installed.version ?? 'unknown version';
  if (installed.version !== null && to.verified.versions.includes(installed.version))
    return { id: 'target', level: 'ok', text: `${to.label} ${version}` };
  return {
    id: 'target',
    level: 'note',
    text: `${to.label} ${version}`,
    detail: `Checked against ${to.verified.versions.join(', ')}`,
  };
}

/** The nearest folder that exists must take a file; a database that is there must take a session. */
async function placeCheck(to: SessionAdapter, files: string[]): Promise<Check> {
  const database = databasePath(files[0] ?? '')?.file;
  if (database !== undefined && (await isReadOnly(database)))
    return {
      id: 'place',
      level: 'stop',
      text: `${database} cannot be written`,
      detail: 'Fix its permissions and try again',
    };
  for (let folder = dirname(files[0] ?? '/'); ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => null);
    if (!found && folder !== dirname(folder)) continue;
    const writable =
      found?.isDirectory() &&
      (await access(folder, constants.W_OK | constants.X_OK).then(
        () => true,
        () => false,
      ));
    if (writable) return { id: 'place', level: 'ok', text: `${to.label}'s folder can be written` };
    return {
      id: 'place',
      level: 'stop',
      text: `${folder} cannot be written`,
      detail: 'Fix its permissions and try again',
    };
  }
}

async function isReadOnly(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  return (
    found !== null &&
    (await access(file, constants.W_OK).then(
      () => false,
      () => true,
    ))
  );
}

/** What of the checks still matters when the session is written: its agent cannot be started where the folder is not. */
export function awayFrom(checks: readonly Check[]): Warning[] {
  const away = checks.filter(({ id, level }) => id === 'cwd' && level === 'warn');
  return away.map(({ text }) => ({
    about: 'cwd',
    detail: `${text}. Make it first, or hand off again into another folder (--cwd <dir> in a terminal).`,
  }));
}

async function cwdCheck(cwd: string | null): Promise<Check> {
  if (cwd === null)
    return {
      id: 'cwd',
      level: 'stop',
      text: "The session's folder is not known",
      detail: 'Name a folder (--cwd in a terminal)',
    };
  const found = await stat(cwd).catch(() => null);
  if (found?.isDirectory()) return { id: 'cwd', level: 'ok', text: `Folder ${cwd}` };
  return {
    id: 'cwd',
    level: 'warn',
    text: `The folder ${cwd} is not on this machine`,
    detail: 'Name another folder (--cwd in a terminal)',
  };
}

/** Changed files of the folder; silent outside of git. Nothing that its repository names is run. */
async function gitCheck(env: AgentEnv, cwd: string | null): Promise<Check[]> {
  const found = cwd === null ? null : await stat(cwd).catch(() => null);
  if (cwd === null || !found?.isDirectory()) return [];
  const status = await gitStatus(env, cwd);
  if ('why' in status) return [];
  const { changed, isWhole } = status;
  if (changed.length === 0) return [{ id: 'git', level: 'ok', text: 'No uncommitted changes' }];
  return [
    {
      id: 'git',
      level: 'note',
      text: `${isWhole ? '' : 'At least '}${changed.length} files with uncommitted changes`,
      detail: changed
        .slice(0, 5)
        .map(({ path }) => path)
        .join(', '),
    },
  ];
}

function runningCheck(row: SessionRow): Check[] {
  if (row.status === 'working')
    return [
      {
        id: 'running',
        level: 'warn',
        text: 'The source session seems to be at work',
        detail: 'What it writes after the handoff is not carried',
      },
    ];
  if (row.status === 'ended_mid_tool')
    return [
      {
        id: 'running',
        level: 'note',
        text: 'It ended in the middle of a tool call',
        detail: 'The call arrives closed as not run',
      },
    ];
  return [];
}

/** The native session may have grown since it was read, or be gone. */
async function sourceCheck(reader: StoreReader, row: SessionRow): Promise<Check[]> {
  const standing = await standingOf(reader, row);
  if (standing?.is === 'gone')
    return [
      {
        id: 'source',
        level: 'note',
        text: standing.inDatabase
          ? 'The database of the native session is no longer there'
          : 'The native session is no longer there',
        detail: 'The copy in the store is carried',
      },
    ];
  if (standing?.is !== 'changed') return [];
  return [
    {
      id: 'source',
      level: 'note',
      text: standing.inDatabase
        ? 'The database of the native session has changed since it was read'
        : 'The native session has changed since it was read',
      detail: 'It is read again before anything is written',
    },
  ];
}
