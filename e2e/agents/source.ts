/**
 * The native sessions that the lab starts from: the fixtures, or any session of a copied home folder.
 *
 * Fixtures were recorded under a folder (`recordedRoot`) that exists on no machine and often may not be made. So while a
 * tree is laid out, that prefix is replaced by the lab's root in every text file and (in the folder rule of Claude
 * Code, every other character than a letter or digit as `-`) in file names. Source and target agent read the same
 * rewritten tree, so the comparison stays exact. A copied home keeps its paths when its project folder exists here;
 * else the project folders get the same treatment.
 */
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { listFixtureAgents, listFixtures, loadFixture, readFixtureFile } from '../../fixtures/load.ts';
import type { LabAgent, NativeSession } from './contract.ts';
import { exists, type Lab } from './lab.ts';

/** One tree of native files. `lay` writes it into the lab's empty home. */
export interface Source {
  /** `tools`, `2.0.76/tools`, or `home` for a copied home. */
  name: string;
  /** Only this session, when given. */
  id?: string;
  /** The name that the source agent's own list shows for a session, where it is known. */
  title?(id: string): Promise<string | undefined>;
  lay(lab: Lab): Promise<void>;
}

/** Every fixture scenario of `agent`, of all its versions; `only` keeps the named ones. */
export async function fixtureSources(agent: LabAgent, only: readonly string[]): Promise<Source[]> {
  const sources: Source[] = [];
  for (const folder of await listFixtureAgents(agent.id)) {
    for (const scenario of await listFixtures(folder)) {
      const name = folder === agent.id ? scenario : `${folder.slice(agent.id.length + 1)}/${scenario}`;
      const lay = async (lab: Lab): Promise<void> => {
        await loadFixture(folder, scenario, lab.home);
        await movePaths(lab.home, agent.recordedRoot, lab.root);
      };
      const title = (id: string): Promise<string | undefined> => recordedTitle(folder, scenario, id);
      if (only.length === 0 || only.includes(name)) sources.push({ name, lay, title });
    }
  }
  return sources;
}

async function recordedTitle(folder: string, scenario: string, id: string): Promise<string | undefined> {
  const recorded = await readFixtureFile(folder, scenario, 'sdk-oracle.json');
  if (recorded === undefined) return undefined;
  const { sessions } = JSON.parse(recorded.toString('utf8')) as { sessions: { sessionId: string; summary?: string }[] };
  return sessions.find((session) => session.sessionId === id)?.summary;
}

/** The session `id` of an agent's folder in `home`. The folder is copied first and then never looked at again. */
export async function homeSource(
  agent: LabAgent,
  home: string,
  id: string,
): Promise<Source & { dispose(): Promise<void> }> {
  const copy = await mkdtemp(join(tmpdir(), 'sc-source-'));
  await cp(join(home, agent.folder), join(copy, agent.folder), { recursive: true, preserveTimestamps: true });
  const lay = async (lab: Lab): Promise<void> => {
    await cp(copy, lab.home, { recursive: true, preserveTimestamps: true });
    const missing: string[] = [];
    const session = (await agent.sessions(lab.home)).find((one) => one.id === id);
    for (const cwd of session?.folders ?? []) if (!(await exists(cwd))) missing.push(cwd);
    const top = commonFolder(missing);
    if (top !== undefined) await movePaths(lab.home, top, join(lab.root, 'work', basename(top)));
  };
  return { name: 'home', id, lay, dispose: () => rm(copy, { recursive: true, force: true }) };
}

/** The sessions of a laid-out home, oldest first; folders are made where they are missing. */
export async function nativeSessions(agent: LabAgent, lab: Lab, onlyId?: string): Promise<NativeSession[]> {
  const sessions: NativeSession[] = [];
  for (const known of await agent.sessions(lab.home)) {
    const { folders, ...session } = known;
    if (onlyId !== undefined && session.id !== onlyId) continue;
    const [cwd = join(lab.root, 'work', 'somewhere')] = folders;
    await mkdir(cwd, { recursive: true });
    if (folders.length === 0) await agent.settle?.(lab.home, known, cwd);
    sessions.push({ ...session, cwd, ...(folders.length === 0 && { isHomeless: true }) });
  }
  return sessions;
}

function commonFolder(paths: string[]): string | undefined {
  let [common] = paths;
  for (const path of paths) {
    while (common !== undefined && path !== common && !path.startsWith(`${common}/`)) common = dirname(common);
  }
  return common;
}

/** Replaces the folder `from` by `to` in every text file below `folder`, and its coded form in the names. */
async function movePaths(folder: string, from: string, to: string): Promise<void> {
  const coded = (path: string): string => path.replace(/[^a-zA-Z0-9]/g, '-');
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await movePaths(path, from, to);
    else if (entry.isFile()) await rewriteFile(path, from, to);
    if (entry.name.startsWith(coded(from)))
      await rename(path, join(folder, entry.name.replace(coded(from), coded(to))));
  }
}

async function rewriteFile(path: string, from: string, to: string): Promise<void> {
  if (/\.db-(?:wal|shm)$/.test(path)) return;
  if (path.endsWith('.db')) return rewriteDatabase(path, from, to);
  const bytes = await readFile(path);
  if (bytes.includes(0) || !bytes.includes(from)) return;
  const coded = (value: string): string => value.replace(/[^a-zA-Z0-9]/g, '-');
  const text = bytes.toString('latin1');
  const raw = (value: string): string => Buffer.from(value, 'utf8').toString('latin1');
  await writeFile(path, text.replaceAll(raw(from), raw(to)).replaceAll(coded(from), coded(to)), 'latin1');
}

/** Every text of every table, in place; what lies in the log only comes with it. */
function rewriteDatabase(path: string, from: string, to: string): void {
  const db = new Database(path);
  try {
    const tables = db.prepare<[], { name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL",
    );
    for (const { name } of tables.all()) {
      if (/^sqlite_|_fts/.test(name)) continue;
      const columns = db.prepare<[], { name: string; type: string }>(`PRAGMA table_info("${name}")`).all();
      for (const column of columns) {
        if (!/text/i.test(column.type)) continue;
        const update = `UPDATE "${name}" SET "${column.name}" = replace("${column.name}", ?, ?) WHERE instr("${column.name}", ?)`;
        db.prepare(update).run(from, to, from);
      }
    }
  } finally {
    db.close();
  }
}
