import { openEngine } from '../../src/engine/engine.ts';
import { unwrap } from '../../src/shared/errors.ts';
import { tellUsage } from './usage.ts';

/**
 * Opens a large session as the app does, in an engine of its own: `open <engine home> <agent home> <session file>`.
 * The first call pays for everything that is loaded late; the others show what a click costs.
 */
const [home, agentHome, path] = process.argv.slice(2) as [string, string, string];
const engine = openEngine({ home, agents: { home: agentHome, env: {} }, host: 'cli', version: 'bench' });
unwrap(await engine.local.init({ kind: 'keyfile' }));
const [id] = unwrap(await engine.local.import({ path })).changed;
if (id === undefined) throw new Error('nothing was imported');
const times: number[] = [];
let rows = 0;
for (let i = 0; i < 20; i++) {
  const start = performance.now();
  const opened = unwrap(await engine.call('transcript.open', { id }));
  times.push(performance.now() - start);
  rows = opened.page.rows.length;
}
await engine.close();
tellUsage({ times, rows });
