import { randomBytes } from 'node:crypto';
import { unwrap } from '../../../shared/errors.ts';
import { openStore } from '../client.ts';
import { chatDraft, sessionId, TEST_KEY, testSigningKey } from './temp-store.ts';

/** A process of its own that writes until it is refused, and says how: `node fill-child.ts <store home>`. */
const home = process.argv[2] as string;
const store = unwrap(await openStore({ home, key: TEST_KEY, signingKey: testSigningKey() }));
for (let n = 2; n < 1000; n++) {
  const text = randomBytes(200_000).toString('base64');
  const id = sessionId(n);
  const result = await store.writer.decide({
    create: [{ id, agent: 'claude', native_id: id, source: null, parent: null, parent_kind: null }],
    append: [{ session: id, drafts: [chatDraft(0, text), chatDraft(1)] }],
  });
  if (result.ok) continue;
  process.stdout.write(JSON.stringify(result.error));
  break;
}
await store.close();
