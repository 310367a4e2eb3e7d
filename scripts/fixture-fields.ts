import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../adapters/registry.ts';
import { layEveryAgent } from '../src/cli/testing/every-agent.ts';
import { census, type Fields, writeFields } from '../src/engine/verify/census.ts';

/** The fields that the fixtures of each agent hold: those of the versions that its adapter was checked with. */
export async function fixtureFields(): Promise<Record<string, string>> {
  const home = await mkdtemp(join(tmpdir(), 'fixture-fields-'));
  try {
    await layEveryAgent(home);
    const all: Record<string, string> = {};
    for (const adapter of Object.values(adapters)) {
      const fields: Fields = new Map();
      for (const source of (await adapter.discover({ home, env: {} })).sources)
        for (const [kind, names] of await census(source))
          fields.set(kind, new Set([...(fields.get(kind) ?? []), ...names]));
      all[adapter.id] = writeFields(fields);
    }
    return all;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
