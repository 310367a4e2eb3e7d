import { describe, expect, it } from 'vitest';
import type { SearchHit, SearchResult } from '../../../shared/search.ts';
import type { SessionRow } from '../../../shared/session.ts';
import { foundRows, piecesOf } from './found.ts';

const hit = (seq: number): SearchHit => ({
  seq,
  ordinal: seq,
  ts: null,
  kind: 'reply',
  error: false,
  tool: null,
  active: true,
  in_model: true,
  copied: false,
  text: 'a needle',
  matches: [[2, 8]],
  more_before: false,
  more_after: false,
});

const page = (...sessions: [id: string, total: number, seqs: number[]][]): SearchResult => ({
  sessions: sessions.map(([id, total, seqs]) => ({
    session: { id } as SessionRow,
    parent: null,
    total,
    exact: true,
    hits: seqs.map(hit),
  })),
  total: { sessions: sessions.length, hits: 0, exact: true },
  next: null,
  notes: [],
  index: { complete: true, sessions: 1, sessions_total: 1, events: 1, events_total: 1 },
});

describe('the rows of what was found', () => {
  it('are sessions with their hits below, and a word on those that are not shown', () => {
    const rows = foundRows([page(['s1', 7, [3, 9]], ['s2', 1, [4]])]);
    expect(rows.map((row) => row.id)).toEqual(['s1', 's1 3', 's1 9', 's1 more', 's2', 's2 4']);
    expect(rows[3]).toMatchObject({ kind: 'more', count: 5 });
  });

  it('hold what was asked for beyond the first hits', () => {
    const rows = foundRows([page(['s1', 4, [3]])], new Map([['s1', [hit(3), hit(5), hit(6)]]]));
    expect(rows.map((row) => row.id)).toEqual(['s1', 's1 3', 's1 5', 's1 6', 's1 more']);
    expect(rows.at(-1)).toMatchObject({ count: 1 });
  });

  it('name a session once, also when it moved to a later page meanwhile', () => {
    const rows = foundRows([page(['s1', 1, [3]]), page(['s1', 1, [3]], ['s2', 1, [1]])]);
    expect(rows.map((row) => row.id)).toEqual(['s1', 's1 3', 's2', 's2 1']);
  });
});

describe('a piece of text', () => {
  it('is cut where it matched, on one line', () => {
    expect(
      piecesOf({
        text: 'find\n\n  the needle, and needle',
        matches: [
          [12, 18],
          [24, 30],
        ],
      }),
    ).toEqual([
      { text: 'find the ', matched: false },
      { text: 'needle', matched: true },
      { text: ', and ', matched: false },
      { text: 'needle', matched: true },
    ]);
  });

  it('begins near its first match, at a word', () => {
    const text = `${'a long way before it '.repeat(9)}needle and more`;
    const from = text.indexOf('needle');
    const [before] = piecesOf({ text, matches: [[from, from + 6]] });
    expect(before).toEqual({ text: '…way before it a long way before it ', matched: false });
  });

  it('stays whole where nothing is marked', () => {
    expect(piecesOf({ text: 'plain', matches: [] })).toEqual([{ text: 'plain', matched: false }]);
  });
});
