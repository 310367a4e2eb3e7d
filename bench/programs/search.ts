import { statSync } from 'node:fs';
import { join } from 'node:path';
import { eventText } from '../../src/core/search/event-text.ts';
import { createSearch } from '../../src/engine/search/search.ts';
import type { StoreReader } from '../../src/engine/store/contract.ts';
import { type Random, randomOf } from '../generate/random.ts';
import { anyWord, vocabulary } from '../generate/rich-words.ts';
import { BENCH_KEY, openHome } from './home.ts';
import { tellUsage } from './usage.ts';

/** Indexes a store and searches in it: `search <store> <home> <queries>`. */
const [storeHome, agentHome, queries] = process.argv.slice(2) as [string, string, string];
const file = join(storeHome, 'store.db');
const before = statSync(file).size;
const { store } = await openHome(storeHome, agentHome);
const search = createSearch({ home: storeHome, key: BENCH_KEY, store, importing: () => false });

const cpu = () => process.cpuUsage().user + process.cpuUsage().system;
const cpuBefore = cpu();
const start = performance.now();
const state = await search.catchUp(3_600_000);
const index_s = (performance.now() - start) / 1000;
const index_cpu_s = (cpu() - cpuBefore) / 1e6;

const random = randomOf(5);
const asked: { text: string; ms: number; cpu_ms: number; hits: number }[] = [];
const base = { subagents: true, offset: 0, limit: 20, hits: 3, hits_offset: 0 };
for (const text of await textsOf(store.reader, random, Number(queries))) {
  const [from, used] = [performance.now(), cpu()];
  const found = await search.search({ ...base, query: text });
  asked.push({ text, ms: performance.now() - from, cpu_ms: (cpu() - used) / 1000, hits: found.total.hits });
}
await search.close();
await store.close();
tellUsage({
  events: state.events,
  complete: state.complete,
  index_s,
  index_cpu_s,
  before,
  after: statSync(file).size,
  times: asked.slice(10).map(({ ms }) => ms),
  cpu_times: asked.slice(10).map(({ cpu_ms }) => cpu_ms),
  found: asked.filter(({ hits }) => hits > 0).length / asked.length,
});

/** Queries as people type them: words of their sessions, mostly, alone and together, phrases, beginnings, names, filters. */
async function textsOf(reader: StoreReader, random: Random, n: number): Promise<string[]> {
  const { rows } = await reader.sessions({ offset: 0, limit: 1000, sort: 'recent' });
  const texts: string[] = [];
  while (texts.length < n) {
    const session = random.pick(rows);
    const [event] = await reader.eventsAt(session.id, [random.int(0, session.events - 1)]);
    const words = (event === undefined ? null : eventText(event))?.texts.join(' ').match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
    if (words.length < 5) continue;
    const at = random.int(0, words.length - 4);
    const [one = '', two = '', three = ''] = words.slice(at);
    const far = random.pick(words);
    const rare = vocabulary()[random.int(1000, 59_999)] as string;
    const kinds = [
      one,
      rare,
      anyWord(random),
      `${one} ${far}`,
      `${one} ${far} ${two}`,
      `"${one} ${two}"`,
      `"${one} ${two} ${three}"`,
      `${rare.slice(0, 5)}*`,
      `in:prompt ${one}`,
      `${one} ${rare}`,
      `${one} -${far} in:tool`,
      '登录错误',
    ];
    texts.push(kinds[texts.length % kinds.length] as string);
  }
  return texts;
}
