import { z } from 'zod';
import { Matcher } from '../../core/search/match.ts';
import { parseQuery } from '../../core/search/query.ts';
import { AGENTS } from '../../shared/agents.ts';
import { SEARCH_PLACES } from '../../shared/choices.ts';
import { ok } from '../../shared/errors.ts';
import { MAX_QUERY, type SearchResult } from '../../shared/search.ts';
import { fitting } from '../bounds.ts';
import { hitText } from '../hit-text.ts';
import { fenced, lineOf, NOTICE } from '../quote.ts';
import { briefLine, briefOf, briefSchema, isoOf, secondsOf } from '../session.ts';
import { type Call, defineTool, READS } from '../tool.ts';

/** Sessions of a page, hits of each, and characters of a hit. */
const SESSIONS = 5;
const HITS = 5;
const TEXT = 300;

const hitSchema = z.object({
  /** event of the session's log, as `[e12]` in compiled pages */
  seq: z.number().int(),
  time: z.string().nullable(),
  kind: z.string(),
  tool: z.string().nullable(),
  /** it failed */
  error: z.boolean(),
  /** false: on a dead branch, or undone */
  active: z.boolean(),
  /** around the match, on one line */
  text: z.string(),
});

const foundSchema = z.object({ session: briefSchema, total: z.number().int(), hits: z.array(hitSchema) });

export const sessionSearch = defineTool({
  name: 'session_search',
  title: 'Search what was said',
  description:
    'Searches everything that was said and done in all stored sessions of all agents: prompts, answers, tool calls and ' +
    'their results, errors. Gives sessions with their best hits. All words must be in one event; "quoted phrases", ' +
    'prefix*, -not.',
  annotations: READS,
  input: z.strictObject({
    query: z.string().min(1).max(MAX_QUERY).describe('Words, "phrases", prefix*, -not.'),
    session: z.string().min(1).max(1000).optional().describe('Only in this session.'),
    agent: z.enum(AGENTS).optional().describe('Only sessions of this agent.'),
    cwd: z.string().max(4096).optional().describe('Only of this folder and what lies below it (whole path).'),
    in: z.array(z.enum(SEARCH_PLACES)).max(SEARCH_PLACES.length).optional().describe('Only there.'),
    after: z.iso.datetime({ offset: true }).optional().describe('Only said since then (ISO time).'),
    before: z.iso.datetime({ offset: true }).optional().describe('Only said before then (ISO time).'),
    offset: z.number().int().nonnegative().optional().describe('`next_offset` of the page before.'),
    limit: z.number().int().positive().max(20).optional().describe(`Sessions of a page (default ${SESSIONS}).`),
    hits: z.number().int().positive().max(20).optional().describe(`Hits of each session (default ${HITS}).`),
  }),
  output: z.object({
    sessions: z.array(foundSchema),
    total: z.object({ sessions: z.number().int(), hits: z.number().int(), exact: z.boolean() }),
    next_offset: z.number().int().nullable(),
    /** what of the query was not taken as it may have been meant, and what is not indexed yet */
    notes: z.array(z.string()),
    notice: z.string(),
  }),
  run: async (call, { after, before, offset = 0, limit = SESSIONS, hits = HITS, ...filter }) => {
    const { error } = await call.reading.once();
    if (error) return { ok: false, error };
    const times = { ...(after && { after: secondsOf(after) }), ...(before && { before: secondsOf(before) }) };
    const query = { ...filter, ...times, offset, limit, hits };
    const found = await call.connection.engine.call('sessions.search', query, call.signal);
    if (!found.ok) return found;
    const matcher = new Matcher(parseQuery(filter.query, Date.now() / 1000));
    const all: Found[] = [];
    for (const one of found.value.sessions) all.push(await foundOf(call, matcher, one));
    const sessions = fitting(all);
    const next_offset = sessions.length < all.length ? offset + sessions.length : found.value.next;
    const notes = notesOf(call, found.value);
    const { total } = found.value;
    const more = next_offset === null ? '' : ` Go on with offset ${next_offset}.`;
    return ok({
      value: { sessions, total, next_offset, notes, notice: NOTICE },
      text: [
        `${total.exact ? '' : 'At least '}${total.hits} hits in ${total.sessions} sessions.${more}`,
        ...notes,
        ...(sessions.length === 0 ? [] : [fenced(filter.query, sessions.map(lines).join('\n'))]),
      ].join('\n'),
    });
  },
});

type Found = z.infer<typeof foundSchema>;

type FoundThere = SearchResult['sessions'][number];

async function foundOf(call: Call, matcher: Matcher, { session, total, hits }: FoundThere): Promise<Found> {
  const shown: Found['hits'] = [];
  for (const { seq, ts, kind, tool, error, active } of hits) {
    const text = lineOf(await hitText(call, session.id, seq, matcher), TEXT, call.clean);
    shown.push({ seq, time: isoOf(ts), kind, tool: lineOf(tool, 80, call.clean), error, active, text });
  }
  return { session: briefOf(session, call.clean), total, hits: shown };
}

function lines({ session, total, hits }: Found): string {
  const shown = hits.map(
    ({ seq, kind, tool, error, active, text }) =>
      `  [e${seq}] ${kind}${tool === null ? '' : ` ${tool}`}${error ? ' failed' : ''}${active ? '' : ' (not on the active branch)'}: ${text}`,
  );
  return [briefLine(session), ...shown, ...(total > hits.length ? [`  … ${total - hits.length} more hits`] : [])].join(
    '\n',
  );
}

function notesOf({ clean }: Call, { notes, index }: SearchResult): string[] {
  const said = notes.map((note) => lineOf(note, TEXT, clean));
  if (index.complete) return said;
  const state = `${index.sessions} of ${index.sessions_total} sessions are in the index; what is said in the others is not found yet.`;
  return [...said, state];
}
