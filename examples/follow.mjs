// Prints a session's events as they come, whoever writes them. Ctrl-C ends it.
// node examples/follow.mjs <session> [from]
import { Session, Store } from 'sessionctl';

const [id = '', from = '0'] = process.argv.slice(2);
const end = new AbortController();
process.once('SIGINT', () => end.abort());

// `watch` also reads what the enabled agents write meanwhile
const store = await Store.local({ watch: true });
try {
  const session = await Session.open(id, store);
  for await (const { seq, type, actor } of session.tail(Number(from), { signal: end.signal })) {
    console.log(`${seq} ${type} ${actor}`);
    if (type === 'session.end') break;
  }
} finally {
  await store.close();
}
