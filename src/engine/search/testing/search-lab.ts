import { unwrap } from '../../../shared/errors.ts';
import type { EventDraft } from '../../../shared/events.ts';
import type { SearchResult } from '../../../shared/search.ts';
import type { Decision } from '../../store/contract.ts';
import { type Database, openDatabase } from '../../store/database.ts';
import { chatDraft, TEST_KEY, type TempStore, tempStore } from '../../store/testing/temp-store.ts';
import type { Search, SearchEngine } from '../contract.ts';
import { createSearch } from '../search.ts';

/** Longer than anything takes: tests wait for what happens, not for a time. */
export const LONG = 600_000;

/** A store with a search, for tests. */
export interface SearchLab {
  temp: TempStore;
  engine: SearchEngine;
  /** Adds a session; its sub-agents and forks name their parent. */
  add(id: string, drafts: EventDraft[], more?: Partial<NonNullable<Decision['create']>[number]>): Promise<void>;
  append(id: string, drafts: EventDraft[]): Promise<void>;
  /** Indexes all, then searches. */
  search(query: string, more?: Partial<Search>): Promise<SearchResult>;
  /** What was found, as `<last digit of the session>:<seq>`, in order. */
  found(query: string, more?: Partial<Search>): Promise<string[]>;
  /** A connection to the store's file beside the others. */
  database<T>(use: (db: Database) => T): T;
  close(): Promise<void>;
}

export const asked = (query: string, more: Partial<Search> = {}): Search => ({
  query,
  subagents: true,
  offset: 0,
  limit: 100,
  hits: 100,
  hits_offset: 0,
  ...more,
});

export const searchOf = ({ home, store }: TempStore): SearchEngine =>
  createSearch({ home, key: TEST_KEY, store, importing: () => false });

export async function searchLab(): Promise<SearchLab> {
  const temp = await tempStore();
  const engine = searchOf(temp);
  const search = async (query: string, more: Partial<Search> = {}) => {
    await engine.catchUp(LONG);
    return engine.search(asked(query, more));
  };
  return {
    temp,
    engine,
    add: async (id, drafts, more = {}) => {
      const session = { id, agent: 'claude', native_id: id, source: null, parent: null, parent_kind: null, ...more };
      unwrap(await temp.store.writer.decide({ create: [session], append: [{ session: id, drafts }] }));
    },
    append: async (id, drafts) => {
      unwrap(await temp.store.writer.decide({ append: [{ session: id, drafts }] }));
    },
    search,
    found: async (query, more) => placesOf(await search(query, more)),
    database: (use) => {
      const db = openDatabase(temp.home, TEST_KEY);
      try {
        return use(db);
      } finally {
        db.close();
      }
    },
    close: async () => {
      await engine.close();
      await temp.remove();
    },
  };
}

export function placesOf({ sessions }: SearchResult): string[] {
  return sessions.flatMap(({ session, hits }) => hits.map(({ seq }) => `${session.id.at(-1)}:${seq}`));
}

/** Prompts and replies in turn that say these things. */
export const saying = (...texts: string[]): EventDraft[] => texts.map((text, seq) => chatDraft(seq, text));

/** An event of another type behind `parent`. */
export const draftOf = (type: string, payload: Record<string, unknown>, parent: number | null = null): EventDraft => ({
  ...chatDraft(1),
  type,
  payload,
  parent_seq: parent,
});

/** All tokens in the index, those of removed events too that were not taken out yet. */
export function termsOf(db: Database): string[] {
  db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_terms USING fts5vocab('main', 'search', 'row')`);
  return db.prepare<[], string>('SELECT term FROM search_terms').pluck().all();
}
