import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionSource } from '../../adapters/contract.ts';
import { adapters } from '../../adapters/registry.ts';
import { prepareCapture } from '../../src/engine/capture/capture.ts';
import { takeSnapshot } from '../../src/engine/handoff/snapshot.ts';
import { secretsIn } from '../../src/engine/verify/secrets-in.ts';
import { unwrap } from '../../src/shared/errors.ts';
import { openHome } from './home.ts';
import { tellUsage } from './usage.ts';

/**
 * From one agent's file to another's, through the store: captured, redacted, written, scanned, read back, renamed.
 * `convert <store> <home> <Claude file>`; the Codex home is made below <home>. The model view is the whole session here.
 */
const [storeHome, agentHome, path] = process.argv.slice(2) as [string, string, string];
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
  env: { home: join(agentHome, 'codex'), env: {} },
  nativeId: '01900000-0000-7000-8000-000000000001',
  title: 'A converted session',
  cwd: '/home/dev/code/repo',
  version: null,
  at: 1_790_000_000,
  tokens: 1000,
};
const target = adapters.codex.target;
if (target === undefined) throw new Error('Codex takes no sessions');
const written = unwrap(await target.write(source, options));
if ((await secretsIn(written.temp)) > 0) throw new Error('a secret was written');
const { items } = unwrap(await target.readBack(written, source, options, 'temp'));
unwrap(await written.commit());
await store.close();
tellUsage({
  events: snapshot.order.length,
  items,
  bytes: statSync(written.final).size,
  warnings: written.warnings.length,
});
