import type { z } from 'zod';
import type { SearchIndexState, SearchResult, searchQuerySchema } from '../../shared/search.ts';

/** A query as the contract leaves it, its session as a canonical id. */
export type Search = Omit<z.output<typeof searchQuerySchema>, 'wait_ms'>;

/** Full-text search over a store, in a thread of its own. Made by `createSearch`; nothing runs before the first call. */
export interface SearchEngine {
  /** What is in the index matches; `index` of the result says how far that is. Rejects with AppFailure. */
  search(query: Search): Promise<SearchResult>;
  state(): Promise<SearchIndexState>;
  /**
   * Indexes what is missing and resolves when all is in the index, or when `waitMs` are over, with how far it is; the rest
   * goes on in the background while this process lives. Where another process indexes, it is waited for.
   */
  catchUp(waitMs: number, options?: CatchUp): Promise<SearchIndexState>;
  /** There may be something new to index; it is done soon, and never while an import is running. */
  somethingNew(): void;
  close(): Promise<void>;
}

export interface CatchUp {
  onProgress?: ((state: SearchIndexState) => void) | undefined;
  /** ends the wait, not the work */
  signal?: AbortSignal | undefined;
}
