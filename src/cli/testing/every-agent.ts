import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFixtureAgents, listFixtures, loadFixture } from '../../../fixtures/load.ts';
import { AGENTS } from '../../shared/agents.ts';

const OPENCODE = join('.local', 'share', 'opencode');

/** Lays the fixtures of all agents out in one home, as if one person had used them all. */
export async function layEveryAgent(home: string): Promise<void> {
  for (const agent of AGENTS)
    for (const version of await listFixtureAgents(agent))
      for (const name of await listFixtures(version)) await lay(version, name, home);
}

/** What would lie in another one's place gets a place of its own: a profile of Hermes, a channel of OpenCode. */
async function lay(agent: string, name: string, home: string): Promise<void> {
  if (agent !== 'hermes' && agent !== 'opencode') return loadFixture(agent, name, home);
  const apart = await mkdtemp(join(tmpdir(), 'every-agent-'));
  try {
    await loadFixture(agent, name, apart);
    if (agent === 'hermes') {
      await mkdir(join(home, '.hermes', 'profiles'), { recursive: true });
      await cp(join(apart, '.hermes'), join(home, '.hermes', 'profiles', name), { recursive: true });
      return;
    }
    for (const file of await readdir(join(apart, OPENCODE)))
      if (file.startsWith('opencode.db'))
        await rename(join(apart, OPENCODE, file), join(apart, OPENCODE, file.replace('opencode', `opencode-${name}`)));
    await cp(apart, home, { recursive: true });
  } finally {
    await rm(apart, { recursive: true });
  }
}
