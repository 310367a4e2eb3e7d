import { createPrivateKey } from 'node:crypto';
import { createCapture } from '../../src/engine/capture/capture.ts';
import type { Capture } from '../../src/engine/capture/contract.ts';
import { openStore } from '../../src/engine/store/client.ts';
import type { Store } from '../../src/engine/store/contract.ts';
import { unwrap } from '../../src/shared/errors.ts';

/** Key of the stores that are measured. */
export const BENCH_KEY = Buffer.alloc(32, 7);
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A store with a key of its own, and captures from an agent's home into it. */
export async function openHome(home: string, agentHome: string): Promise<{ store: Store; capture: Capture }> {
  const signingKey = createPrivateKey({ key: Buffer.concat([PKCS8, BENCH_KEY]), format: 'der', type: 'pkcs8' });
  const store = unwrap(await openStore({ home, key: BENCH_KEY, signingKey }));
  const capture = createCapture(store, { agents: { home: agentHome, env: {} }, redactionKey: BENCH_KEY });
  return { store, capture };
}
