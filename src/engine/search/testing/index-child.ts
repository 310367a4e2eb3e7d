import { unwrap } from '../../../shared/errors.ts';
import { openStore } from '../../store/client.ts';
import { TEST_KEY, testSigningKey } from '../../store/testing/temp-store.ts';
import { createSearch } from '../search.ts';
import { LONG } from './search-lab.ts';

/** A process of its own that indexes and says how far it is, a line a step: `node index-child.ts <store home>`. */
const home = process.argv[2] as string;
const store = unwrap(await openStore({ home, key: TEST_KEY, signingKey: testSigningKey() }));
const search = createSearch({ home, key: TEST_KEY, store, importing: () => false });
const state = await search.catchUp(LONG, { onProgress: ({ events }) => process.stdout.write(`${events}\n`) });
process.stdout.write(`complete ${state.complete}\n`);
await search.close();
await store.close();
