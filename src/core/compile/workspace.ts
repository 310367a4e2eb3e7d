import { safeLine } from '../safe-text.ts';
import { wellFormed } from '../text.ts';
import type { Add } from './adder.ts';
import type { Seen } from './item.ts';
import type { Command, Material } from './material.ts';
import { commandLine, output, provenanceOf } from './must.ts';

/** The project's folder as it was found at one moment. Read by the engine, and only when somebody asks for it. */
export interface Workspace extends Seen {
  /** null = no repository, or git could not be asked; `why` tells */
  git: { branch: string | null; head: string | null; changed: Changed[]; isWhole: boolean } | null;
  why: string | null;
  /** files, the one changed last first */
  recent: { path: string; at: number }[];
  /** files that the session changed and that are not there any more */
  missing: readonly string[];
}

export interface Changed {
  /** two letters of `git status`: index and folder */
  state: string;
  path: string;
}

const MOST_CHANGED = 60;
const MOST_RECENT = 20;
const TEST_LINES = 6;

/** What the folder says, each line with the time at which it was so. Nothing of it is in the log. */
export function surroundings(workspace: Workspace, material: Material, add: Add): void {
  const { folder, at, git, why, recent } = workspace;
  const seen = { folder, at };
  const cite = `[workspace ${new Date(at * 1000).toISOString().slice(0, 19)}Z]`;
  const tell = (text: string, weight: number): void =>
    add('p1', 'workspace', `- ${safeLine(wellFormed(text))} ${cite}`, [], 'verified', weight, seen);
  if (git) tell(headOf(git), 60);
  else if (why !== null) tell(`no git status: ${why}`, 20);
  for (const { state, path } of git?.changed.slice(0, MOST_CHANGED) ?? []) tell(`not committed: ${state} ${path}`, 12);
  for (const file of recent.slice(0, MOST_RECENT)) tell(`changed ${isoTime(file.at)}: ${file.path}`, 8);
  const run = material.commands.findLast(({ command }) => isTest(command));
  if (run) lastTest(material, run, workspace, add);
}

function headOf({ branch, head, changed, isWhole }: NonNullable<Workspace['git']>): string {
  const where = `${branch === null ? 'no branch' : `branch ${branch}`}, ${head === null ? 'no commit yet' : `commit ${head.slice(0, 12)}`}`;
  if (changed.length === 0) return `${where}, nothing uncommitted`;
  return `${where}, ${isWhole ? '' : 'at least '}${changed.length} ${changed.length === 1 ? 'file' : 'files'} not committed`;
}

/** The newest run of a test, as the session has it; what was changed after it makes it stale. */
function lastTest(material: Material, run: Command, { folder, at, recent }: Workspace, add: Add): void {
  const ran = run.ts;
  const since = ran === null ? [] : recent.filter((file) => file.at > ran);
  const later =
    since.length === 0 ? '' : `\n  (${since.length === 1 ? '1 file was' : `${since.length} files were`} changed since)`;
  const text = `- last test: ${commandLine(run, material)}${output(material, run, TEST_LINES)}${later}`;
  add(
    'p1',
    'workspace',
    text,
    provenanceOf(run),
    later !== '' ? 'stale' : run.outcome === 'unknown' ? 'agent_said' : 'verified',
    40,
    { folder, at },
  );
}

const TEST =
  /(?:^|[\s;&|(])(?:(?:npm|pnpm|yarn|bun|deno|cargo|go|dotnet|swift|mix|rake|make|gradlew?|\.\/gradlew|mvn|sbt|zig|flutter|dart)\s+(?:run\s+)?(?:-\S+\s+)*(?:test|check)\S*|(?:npx\s+)?(?:vitest|jest|mocha|ava|playwright|cypress)|pytest|python3?\s+-m\s+(?:pytest|unittest)|tox|nox|rspec|phpunit|ctest|node\s+--test)(?=$|[\s;&|)])/;

/** Whether a command runs tests. */
export const isTest = (command: string): boolean => TEST.test(command);

/** Whether a file of the session is no longer in the folder. */
export const gone = ({ missing }: Workspace, path: string): boolean => missing.includes(path);

const isoTime = (at: number): string => `${new Date(at * 1000).toISOString().slice(0, 19)}Z`;
