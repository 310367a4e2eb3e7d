import { z } from 'zod';
import { SEARCH_KINDS, SEARCH_PLACES, SESSION_HAS } from './choices.ts';
import { parentKindSchema, sessionRowSchema } from './session.ts';

/** Full-text search over the events of all sessions: what is asked, and what comes back. */

export type SearchKind = (typeof SEARCH_KINDS)[number];
export type SearchPlace = (typeof SEARCH_PLACES)[number];

/** Longest query. */
export const MAX_QUERY = 1000;
/** Most sessions of a page, and most hits of each. */
const MAX_SESSIONS = 200;
const MAX_HITS = 500;

export const searchQuerySchema = z.object({
  /**
   * Words (all must be in one event), "phrases", prefix*, -not, and filters: agent: cwd: project: after: before: has: in:
   * Any text is a valid query. Filters in it and the fields below must all hold.
   */
  query: z.string().max(MAX_QUERY),
  agent: z.string().max(200).optional(),
  /** this folder and what lies below it */
  cwd: z.string().max(4096).optional(),
  /** said since then, and before then; seconds since the epoch. An event without a time counts as said when its session was */
  after: z.number().optional(),
  before: z.number().optional(),
  has: z.array(z.enum(SESSION_HAS)).max(SESSION_HAS.length).optional(),
  /** only there; several: any of them */
  in: z.array(z.enum(SEARCH_PLACES)).max(SEARCH_PLACES.length).optional(),
  /** only in this session: an id, or whatever names it */
  session: z.string().min(1).max(4096).optional(),
  /** false leaves sub-agents out */
  subagents: z.boolean().default(true),
  /** where the page begins: `next` of the page before, or a number of sessions to skip */
  offset: z.number().int().nonnegative().default(0),
  /** sessions of this page */
  limit: z.number().int().positive().max(MAX_SESSIONS).default(20),
  /** hits shown of each session, the best first */
  hits: z.number().int().positive().max(MAX_HITS).default(5),
  /** hits to skip of each session, to see more of one */
  hits_offset: z.number().int().nonnegative().default(0),
  /** how long the search may index what is missing before it answers with what there is, in ms */
  wait_ms: z.number().int().nonnegative().max(600_000).default(1000),
});
export type SearchQuery = z.input<typeof searchQuerySchema>;

export const searchHitSchema = z.object({
  seq: z.number().int(),
  /** row of the transcript that shows it; null when none does */
  ordinal: z.number().int().nullable(),
  ts: z.number().nullable(),
  kind: z.enum(SEARCH_KINDS),
  /** it failed */
  error: z.boolean(),
  /** of a tool: its name */
  tool: z.string().nullable(),
  /** false: on a dead branch, or undone */
  active: z.boolean(),
  /** false: before the last compaction, so the agent itself no longer sees it */
  in_model: z.boolean(),
  /** copied from another session when this one was forked off it; where that one is in the store, it is found there alone */
  copied: z.boolean(),
  /** a piece of the event around the match, white space as it is. Plain text from history: show it as that */
  text: z.string(),
  /** what matched: [from, to) in `text`, in UTF-16 units, ascending, apart */
  matches: z.array(z.tuple([z.number().int(), z.number().int()])),
  /** there is more text before and behind */
  more_before: z.boolean(),
  more_after: z.boolean(),
});
export type SearchHit = z.infer<typeof searchHitSchema>;

/** How far the index is. Events of sessions that are not in it yet are not found. */
export const searchIndexSchema = z.object({
  complete: z.boolean(),
  /** sessions that are wholly in the index, of how many */
  sessions: z.number().int(),
  sessions_total: z.number().int(),
  events: z.number().int(),
  events_total: z.number().int(),
});
export type SearchIndexState = z.infer<typeof searchIndexSchema>;

export const searchResultSchema = z.object({
  /** sessions with hits, the best first */
  sessions: z.array(
    z.object({
      session: sessionRowSchema,
      /** where it came from, e.g. whose sub-agent it is */
      parent: z
        .object({ id: z.string(), agent: z.string(), title: z.string().nullable(), kind: parentKindSchema })
        .nullable(),
      /** events that match */
      total: z.number().int(),
      /** false: `total` is about right, and more than the hits that were looked at */
      exact: z.boolean(),
      hits: z.array(searchHitSchema),
    }),
  ),
  total: z.object({
    sessions: z.number().int(),
    hits: z.number().int(),
    /** false: at least so many; what matches much is not counted to the end */
    exact: z.boolean(),
  }),
  /** `offset` of the next page; null = this was the last */
  next: z.number().int().nullable(),
  /** what of the query was not taken as it may have been meant, in sentences */
  notes: z.array(z.string()),
  index: searchIndexSchema,
});
export type SearchResult = z.infer<typeof searchResultSchema>;
