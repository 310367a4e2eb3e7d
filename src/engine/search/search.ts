import type { SearchEngine } from './contract.ts';
import { Indexing, type IndexingOptions } from './indexing.ts';
import { SearchThread } from './search-thread.ts';

export interface SearchOptions extends IndexingOptions {
  home: string;
  /** the store's key */
  key: Uint8Array;
}

/** Search over an open store. Its thread is started by the first call. */
export function createSearch(options: SearchOptions): SearchEngine {
  const thread = new SearchThread(options);
  const indexing = new Indexing(options, thread);
  return {
    search: async (query) => (await thread.client()).call('search', query),
    state: async () => (await (await thread.client()).call('look')).state,
    catchUp: (waitMs, how = {}) => indexing.catchUp(waitMs, how),
    somethingNew: () => indexing.soon(),
    close: async () => {
      await indexing.close();
      await thread.close();
    },
  };
}
