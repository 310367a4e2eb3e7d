import type { SessionSource } from '../../adapters/contract.ts';
import { adapters } from '../../adapters/registry.ts';
import { prepareCapture } from '../../src/engine/capture/capture.ts';
import { takeSnapshot } from '../../src/engine/handoff/snapshot.ts';
import { secretsIn } from '../../src/engine/verify/secrets-in.ts';
import type { AgentId } from '../../src/shared/agents.ts';
import { unwrap } from '../../src/shared/errors.ts';
import { openHome } from './home.ts';
import { tellUsage } from './usage.ts';

const UUID = '01900000-0000-7000-8000-000000000001';
const AT = 1_790_000_000;

/**
 * From one agent's file to another's, through the store: captured, redacted, written, scanned, read back, renamed.
 * `convert <store> <home> <file> <to>`; <home> is also the home of the agent that takes it.
 */
const [storeHome, agentHome, path, to] = process.argv.slice(2) as [string, string, string, AgentId];
const { target, verified } = adapters[to];
if (target === undefined) throw new Error(`${to} takes no sessions`);
prepareCapture();
const { store, capture } = await openHome(storeHome, agentHome);
const [id] = unwrap(await capture.import({ path })).changed;
if (id === undefined) throw new Error('nothing was imported');
const snapshot = await takeSnapshot(store.reader, id);
const source: SessionSource = {
  row: snapshot.row,
  model: () => snapshot.read(snapshot.order),
  artifact: async (ref) => {
    const artifact = await store.reader.artifact(ref);
    if (artifact === null) throw new Error(`there is no ${ref}`);
    return artifact.bytes;
  },
};
const options = {
  env: { home: agentHome, env: { SESSIONCTL_HOME: storeHome } },
  nativeId: target.nativeId?.(UUID, AT) ?? UUID,
  title: 'A converted session',
  cwd: '/home/dev/code/repo',
  // the newest one, as on a user's machine
  version: verified.versions.toSorted(new Intl.Collator('en', { numeric: true }).compare).at(-1) ?? null,
  at: AT,
  tokens: 1000,
};
const written = unwrap(await target.write(source, options));
if ((await secretsIn(written.temp)) > 0) throw new Error('a secret was written');
const { items } = unwrap(await target.readBack(written, source, options, 'temp'));
unwrap(await written.commit());
await store.close();
tellUsage({
  events: snapshot.order.length,
  items,
  bytes: written.bytes,
  warnings: written.warnings.length,
});
