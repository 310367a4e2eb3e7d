import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '../../src/engine/engine.ts';
import { unwrap } from '../../src/shared/errors.ts';
import type { SagaProgress } from '../../src/shared/handoff.ts';
import { tellUsage } from './usage.ts';

/**
 * A whole handoff as the app does it, measured from the button to the receipt: `handoff <engine home> <agent home>
 * <session file>`. The target's window is set so large that the session goes over whole.
 */
const [home, agentHome, path] = process.argv.slice(2) as [string, string, string];
mkdirSync(join(agentHome, '.codex'), { recursive: true });
writeFileSync(join(agentHome, '.codex', 'config.toml'), 'model_context_window = 1000000000\n');
const engine = openEngine({ home, agents: { home: agentHome, env: {} }, host: 'cli', version: 'bench' });
unwrap(await engine.local.init({ kind: 'keyfile' }));
const [id] = unwrap(await engine.local.import({ path })).changed;
if (id === undefined) throw new Error('nothing was imported');
const steps: Record<string, number> = {};
engine.subscribe((event) => {
  if (event.topic !== 'handoff') return;
  const { step, state, ms }: SagaProgress = event.progress;
  if (state === 'done') steps[step] = Math.round(ms ?? 0);
});
const input = { session: id, to: 'codex', cwd: agentHome, operation_id: 'bench' };
const start = performance.now();
const before = process.cpuUsage();
const { files } = unwrap(await engine.call('handoff.execute', input));
const { user, system } = process.cpuUsage(before);
const handoff_ms = performance.now() - start;
await engine.close();
const handoff_cpu_ms = Math.round((user + system) / 1000);
tellUsage({ handoff_ms, handoff_cpu_ms, steps, bytes: statSync(files[0] as string).size });
