import { unwrap } from '../../../shared/errors.ts';
import { openStore } from '../../store/client.ts';
import { TEST_KEY, testSigningKey } from '../../store/testing/temp-store.ts';
import { createSearch } from '../search.ts';
import { LONG } from './search-lab.ts';

/**
 * A process of its own that indexes and says how far it is, a line a step: `node index-child.ts <store home> [events]`. So
 * many events on, it ends as if it had been killed.
 */
const [home, last] = process.argv.slice(2) as [string, string?];
const until = last === undefined ? Number.POSITIVE_INFINITY : Number(last);
const step = (events: number): void => {
  if (events >= until) process.kill(process.pid, 'SIGKILL');
  process.stdout.write(`${events}\n`);
};
const store = unwrap(await openStore({ home, key: TEST_KEY, signingKey: testSigningKey() }));
const search = createSearch({ home, key: TEST_KEY, store, importing: () => false });
const state = await search.catchUp(LONG, { onProgress: ({ events }) => step(events) });
process.stdout.write(`complete ${state.complete}\n`);
await search.close();
await store.close();
