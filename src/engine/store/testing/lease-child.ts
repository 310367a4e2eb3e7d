import { unwrap } from '../../../shared/errors.ts';
import { openStore } from '../client.ts';
import { TEST_KEY, testSigningKey } from './temp-store.ts';

/** A process of its own that takes the lease "watch" and stays: `node lease-child.ts <store home>`. */
const home = process.argv[2] as string;
const store = unwrap(await openStore({ home, key: TEST_KEY, signingKey: testSigningKey() }));
unwrap(await store.writer.lease('watch'));
process.stdout.write('taken\n');
