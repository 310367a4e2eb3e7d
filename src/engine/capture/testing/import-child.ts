import { unwrap } from '../../../shared/errors.ts';
import { openStore } from '../../store/client.ts';
import { TEST_KEY, testSigningKey } from '../../store/testing/temp-store.ts';
import { createCapture } from '../capture.ts';

/** A process of its own that imports: `node import-child.ts <store home> <agent home>`. Says "ready" before, "done" after. */
const [home, agentHome] = process.argv.slice(2) as [string, string];
const opened = await openStore({ home, key: TEST_KEY, signingKey: testSigningKey() });
if (!opened.ok) {
  process.stdout.write(`${JSON.stringify(opened.error)}\n`);
  process.exit(1);
}
const worker = new URL('./fake-capture-worker.ts', import.meta.url);
const capture = createCapture(opened.value, { agents: { home: agentHome, env: {} }, redactionKey: TEST_KEY }, worker);
process.stdout.write('ready\n');
const result = await capture.import({});
process.stdout.write(result.ok ? 'done\n' : `${JSON.stringify(result.error)}\n`);
await opened.value.close();
unwrap(result);
