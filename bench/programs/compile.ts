import { openEngine } from '../../src/engine/engine.ts';
import { unwrap } from '../../src/shared/errors.ts';
import { tellUsage } from './usage.ts';

/**
 * Compiles a large session, once it is in the store: `compile <engine home> <agent home> <session file> <budget>`; with the
 * budget 0 it is only imported, so that the import's memory is not counted. The first call pays for what is loaded late.
 */
const [home, agentHome, path, budget] = process.argv.slice(2) as [string, string, string, string];
const engine = openEngine({ home, agents: { home: agentHome, env: {} }, host: 'cli', version: 'bench' });
const times: number[] = [];
let tokens = 0;
if (budget === '0') {
  unwrap(await engine.local.init({ kind: 'keyfile' }));
  unwrap(await engine.local.import({ path }));
} else
  for (let i = 0; i < 8; i++) {
    const start = performance.now();
    const asked = { session: path, for: 'codex', budget: Number(budget), reserve: 0 };
    ({ tokens } = unwrap(await engine.call('compile.run', asked)));
    times.push(performance.now() - start);
  }
await engine.close();
tellUsage({ times, tokens });
