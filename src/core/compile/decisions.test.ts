import { describe, expect, it } from 'vitest';
import { linksIn } from './constraints.ts';
import { decisionsIn, withoutTakenBack } from './decisions.ts';

const said = (...texts: string[]) => texts.map((text, at) => ({ seq: at * 2 + 1, text }));
const found = (...replies: string[]) =>
  decisionsIn({ prompts: [], replies: said(...replies) }).map(({ text, supersededBy }) => [text, supersededBy]);

describe('decisions in words', () => {
  it('are what is said as a decision, or chosen with a reason', () => {
    expect(found('I looked around. Decision: we use SQLite. It is small.')).toEqual([
      ['Decision: we use SQLite.', null],
    ]);
    expect(found("We'll use Postgres because rows are updated by many.")).toHaveLength(1);
    expect(found('我决定用 Redis，原因是速度。')).toEqual([['我决定用 Redis，原因是速度。', null]]);
    expect(found("I'll use the search to find it.", 'Let me look.', 'It fails because of a typo.')).toEqual([]);
  });

  it('are superseded by one that gives up what they chose', () => {
    expect(found('Decision: we use SQLite.', 'Decision: we switch from SQLite to Postgres.')).toEqual([
      ['Decision: we use SQLite.', 3],
      ['Decision: we switch from SQLite to Postgres.', null],
    ]);
    expect(found('决定：采用 Redis，因为快。', 'Redis 不合适，改用 Kafka。')[0]).toEqual([
      '决定：采用 Redis，因为快。',
      3,
    ]);
  });

  it('are given up in one sentence and made in the next', () => {
    expect(
      found('I decided to go with SQLite.', 'I was wrong about SQLite. We use Postgres instead, given the load.'),
    ).toEqual([
      ['I decided to go with SQLite.', 3],
      ['I was wrong about SQLite. We use Postgres instead, given the load.', null],
    ]);
  });

  it('are superseded by a person who wants something else, and by nobody who only names it', () => {
    const replies = [{ seq: 1, text: 'Decision: we use SQLite.' }];
    const supersededBy = (text: string) => decisionsIn({ replies, prompts: [{ seq: 5, text }] })[0]?.supersededBy;
    expect(supersededBy('No, use Postgres instead of SQLite.')).toBe(5);
    expect(supersededBy('Read the rows from SQLite and show them.')).toBeNull();
    expect(supersededBy('Use Postgres instead of SQLite3-wasm.')).toBeNull();
  });

  it('stand no more in a text that is shown without what was taken back', () => {
    const [first] = decisionsIn({ prompts: [], replies: said('Fine. Decision: we use SQLite. Done.') });
    expect(withoutTakenBack('Fine. Decision: we use SQLite. Done.', [first!])).toBe('Fine. […] Done.');
  });
});

describe('links in a prompt', () => {
  it('end before the punctuation of both languages', () => {
    expect(
      linksIn('See https://example.com/a/1, then (https://example.com/b). 背景在 https://example.com/c，先读。'),
    ).toEqual(['https://example.com/a/1', 'https://example.com/b', 'https://example.com/c']);
  });
});
