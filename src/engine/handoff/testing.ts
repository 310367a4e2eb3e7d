import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadFixture } from '../../../fixtures/load.ts';
import { unwrap } from '../../shared/errors.ts';
import type { SessionRow } from '../../shared/session.ts';
import { type Engine, type EngineOptions, openEngine } from '../engine.ts';

/** A user's home with sessions of real agents, and an engine on it. For tests. */
export interface Lab {
  /** the user's home; `.sessionctl` in it is ours */
  home: string;
  /** an existing project folder */
  project: string;
  options: EngineOptions;
  engine: Engine;
  /** the first Claude session of the list */
  session: SessionRow;
  /** paths of all files below a folder of the home, relative to it */
  files(below: string): Promise<string[]>;
  /** one hash over all files below a folder of the home: names and bytes */
  hash(below: string): Promise<string>;
  close(): Promise<void>;
}

export async function makeLab(fixtures: string[] = ['tools'], more: Partial<EngineOptions> = {}): Promise<Lab> {
  const home = await mkdtemp(join(tmpdir(), 'engine-lab-'));
  const project = join(home, 'project');
  await mkdir(project);
  for (const name of fixtures) await loadFixture('claude', name, home);
  const options: EngineOptions = {
    home: join(home, '.sessionctl'),
    agents: { home, env: { HOME: home, PATH: '/nowhere' } },
    host: 'cli',
    version: 'test',
    ...more,
  };
  const engine = openEngine(options);
  unwrap(await engine.local.init({ kind: 'keyfile' }));
  unwrap(await engine.call('sources.set', { agent: 'claude', enabled: true }));
  unwrap(await engine.local.import({ agent: 'claude' }));
  const { rows } = unwrap(await engine.call('sessions.list', { agent: 'claude' }));
  const files = async (below: string): Promise<string[]> => {
    const entries = await readdir(join(home, below), { recursive: true, withFileTypes: true }).catch(() => []);
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(home, below).length + 1))
      .sort();
  };
  return {
    home,
    project,
    options,
    engine,
    session: rows[0]!,
    files,
    hash: async (below) => {
      const sum = createHash('sha256');
      for (const file of await files(below)) sum.update(file).update(await readFile(join(home, below, file)));
      return sum.digest('hex');
    },
    close: async () => {
      await engine.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
