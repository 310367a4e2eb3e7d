import { openHome } from './home.ts';
import { tellUsage } from './usage.ts';

/** Opens a store and lists: `list <store>`. Tells when the first page was there, and how long searches take. */
const [storeHome] = process.argv.slice(2) as [string];
const { store } = await openHome(storeHome, storeHome);
const first = await store.reader.sessions({ offset: 0, limit: 200 });
const ready = performance.now();

async function timed(query: object): Promise<number> {
  const start = performance.now();
  await store.reader.sessions({ offset: 0, limit: 200, ...query });
  return performance.now() - start;
}

const page = await timed({ offset: first.total / 2 });
const search = await timed({ text: 'parse token' });
const title = await timed({ sort: 'title' });
await store.close();
tellUsage({ total: first.total, ready, page, search, title });
