import { sep } from 'node:path';
import type { AgentEnv, Installed, SessionAdapter, SourceRoot } from '../../../adapters/contract.ts';
import { adapterOf, adapters } from '../../../adapters/registry.ts';
import { AGENTS } from '../../shared/agents.ts';
import type { AppInfo, SourceInfo } from '../../shared/api.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';

/** The agents of this machine as the engine sees them. */
export interface Agents {
  readonly env: AgentEnv;
  /** Errors: invalid_request, naming the agents that are known. */
  adapter(agent: string): Result<SessionAdapter>;
  /** The installed agent; looked for once a minute at most, since a program may have to be asked for its version. */
  installed(agent: SessionAdapter): Promise<Installed | null>;
  describe(): Promise<AppInfo['agents']>;
  /** All sources found by name and stat, without whether they are enabled. Needs no store and no consent. */
  discover(): Promise<Omit<SourceInfo, 'enabled'>[]>;
}

const FRESH_MS = 60_000;

export function createAgents(env: AgentEnv): Agents {
  const known = new Map<string, { at: number; installed: Promise<Installed | null> }>();
  const installed = (adapter: SessionAdapter): Promise<Installed | null> => {
    const entry = known.get(adapter.id);
    if (entry && Date.now() - entry.at < FRESH_MS) return entry.installed;
    const asked = adapter.installed(env).catch(() => null);
    known.set(adapter.id, { at: Date.now(), installed: asked });
    return asked;
  };
  return {
    env,
    adapter: (agent) => {
      const adapter = adapterOf(agent);
      if (adapter) return ok(adapter);
      return fail('invalid_request', `"${agent}" is no agent known here. Known: ${AGENTS.join(', ')}.`, {
        agent,
        known: AGENTS,
      });
    },
    installed,
    describe: () => Promise.all(AGENTS.map(async (id) => description(adapters[id], await installed(adapters[id])))),
    discover: async () => (await Promise.all(AGENTS.map((id) => discover(adapters[id], env)))).flat(),
  };
}

function description(adapter: SessionAdapter, installed: Installed | null): AppInfo['agents'][number] {
  const common = {
    id: adapter.id,
    label: adapter.label,
    installed: installed !== null,
    version: installed?.version ?? null,
    can_receive: adapter.target !== undefined,
    verified: [...adapter.verified.versions],
  };
  return adapter.target ? common : { ...common, why_not: `Sessions cannot be written for ${adapter.label} yet` };
}

const isIn = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);

function nearest(roots: readonly SourceRoot[], path: string): SourceRoot | undefined {
  if (roots.length === 1) return roots[0];
  return roots
    .filter((root) => isIn(path, root.path))
    .reduce<SourceRoot | undefined>(
      (best, root) => (best === undefined || root.path.length > best.path.length ? root : best),
      undefined,
    );
}

/** One entry a root, so that a second home of an agent shows with its own count. */
async function discover(adapter: SessionAdapter, env: AgentEnv): Promise<Omit<SourceInfo, 'enabled'>[]> {
  const found = await adapter.discover(env);
  return found.roots.map((root, index) => {
    // a root can lie in another one, as profiles do: a source belongs to the nearest
    const mine = found.sources.filter(({ path }) => nearest(found.roots, path) === root);
    const databases = mine.filter(({ database }) => database === true).length;
    return {
      agent: adapter.id,
      label: adapter.label,
      root: root.path,
      exists: root.exists,
      sessions: mine.length,
      ...(databases > 0 ? { databases } : {}),
      bytes: mine.reduce((sum, source) => sum + source.bytes, 0),
      warnings: index === 0 ? found.warnings : [],
    };
  });
}
