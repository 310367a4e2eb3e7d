import type { SearchHit, SearchResult } from '../../shared/search.ts';
import type { SessionRow } from '../../shared/session.ts';

const SAID: readonly (Pick<SearchHit, 'kind' | 'text'> & Partial<SearchHit>)[] = [
  { kind: 'prompt', text: 'Why is the refresh token rotated twice when two tabs wake up at once?' },
  {
    kind: 'tool',
    tool: 'Shell',
    text: 'FAIL src/auth/refresh.test.ts > rotates a token once\nAssertionError: expected 2 to be 1',
    error: true,
  },
  {
    kind: 'reply',
    text: 'Both tabs read the same token family before either of them has written. A grace of 30 s for the token before solves it.',
  },
  {
    kind: 'thinking',
    text: 'A lock on the family row would serialise them, but the token is read without one on the hot path.',
    in_model: false,
  },
  { kind: 'note', text: 'Decision: keep the old token valid for 30 s.', active: false },
];

/** Made-up hits of a word in some sessions. */
export function sampleFound(sessions: readonly SessionRow[], query: string, offset: number): SearchResult {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = SAID.flatMap((said, i) => hitOf(said, i, words));
  const found = hits.length === 0 ? [] : sessions.slice(0, 60);
  return {
    sessions: found.slice(offset, offset + 20).map((session, i) => ({
      session,
      parent: null,
      total: hits.length + (i % 3 === 0 ? 12 : 0),
      exact: true,
      hits: hits.slice(0, 1 + (i % 5)),
    })),
    total: { sessions: found.length, hits: found.length * 4, exact: true },
    next: offset + 20 < found.length ? offset + 20 : null,
    notes: [],
    index: { complete: true, sessions: 1776, sessions_total: 1776, events: 412_000, events_total: 412_000 },
  };
}

function hitOf(said: (typeof SAID)[number], i: number, words: readonly string[]): SearchHit[] {
  const lower = said.text.toLowerCase();
  const matches = words
    .map((word): [number, number] => [lower.indexOf(word), lower.indexOf(word) + word.length])
    .sort(([a], [b]) => a - b);
  if (matches.some(([from]) => from < 0)) return [];
  return [
    {
      seq: 112 + 37 * i,
      ordinal: 60 + i,
      ts: null,
      error: false,
      tool: null,
      active: true,
      in_model: true,
      copied: false,
      more_before: i % 2 === 1,
      more_after: true,
      ...said,
      matches,
    },
  ];
}
