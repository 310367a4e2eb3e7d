import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkedConclusions } from './evidence.ts';
import type { Passage } from './summariser.ts';

const passages: Passage[] = [
  { seq: 3, by: 'user', text: 'Make `npm test` green in src/parse.ts, it takes 41 s.', max: 700 },
  {
    seq: 8,
    by: 'agent',
    text: 'The cause was a missing flush; it exits with code 0 now. 把缓存改成 LRU，因为内存太大。',
    max: 900,
  },
];
const check = (...said: unknown[]) => checkedConclusions(said, passages);

describe('what a model concludes', () => {
  it('is taken with evidence among what it was given, in any language', () => {
    const said = [
      { conclusion: 'The tests failed because of a missing flush.', evidence: [8, 3, 8] },
      { conclusion: '缓存改成了 LRU。', evidence: [8] },
      { conclusion: 'Tests of src/parse.ts take 41 s.', evidence: [3] },
    ];
    expect(check(...said).taken).toEqual([
      { text: 'The tests failed because of a missing flush.', evidence: [3, 8] },
      { text: '缓存改成了 LRU。', evidence: [8] },
      { text: 'Tests of src/parse.ts take 41 s.', evidence: [3] },
    ]);
  });

  it.each([
    [{ conclusion: 'No evidence at all.', evidence: [] }, 'no evidence'],
    [{ conclusion: 'An event that it never saw.', evidence: [3, 99] }, 'e99'],
    [{ conclusion: 'It takes 57 s.', evidence: [3] }, '57'],
    [{ conclusion: 'Fixed in src/other.ts.', evidence: [3] }, 'src/other.ts'],
    [{ conclusion: 'Run `rm -rf build` next.', evidence: [8] }, 'rm -rf build'],
    [{ conclusion: 'x'.repeat(700), evidence: [3] }, 'longer'],
    [{ conclusion: 'Evidence is no number.', evidence: ['3'] }, 'no sentence'],
    [{ conclusion: '', evidence: [3] }, 'no sentence'],
    [{ conclusion: 5, evidence: [3] }, 'no sentence'],
    ['just words', 'no sentence'],
    [null, 'no sentence'],
  ])('is refused without it: %j', (said, why) => {
    expect(check(said)).toMatchObject({ taken: [], refused: [{ why: expect.stringContaining(why) }] });
  });

  const measured: Passage[] = [
    {
      seq: 5,
      by: 'agent',
      text: 'It took 4123 ms; 3 of 10 failed in src/load.ts, so I moved the cache to Redis. two retries, 0.41 s each',
      max: 900,
    },
  ];
  const isTaken = (conclusion: string) =>
    checkedConclusions([{ conclusion, evidence: [5] }], measured).taken.length > 0;

  it.each([
    'It took 4123 ms and 3 tests failed.',
    'The file src/load.ts failed.',
    'Retried 2 times, 0.41 s each.',
    'The cache went to redis, then 10 tests ran.',
    '缓存移到了 Redis，3 个失败。',
  ])('is taken with its own numbers, paths and names: %s', (said) => {
    expect(isTaken(said)).toBe(true);
  });

  it.each([
    'It took 412 ms.',
    'It took 41 ms.',
    'It took 123 ms.',
    'It took 41 s each.',
    '9 tests failed.',
    'It failed 4 times.',
    'PostgreSQL was chosen over Redis.',
    'The cache went from Memcached to Redis.',
    '缓存从 Memcached 移到了 Redis。',
    'src/load.t was broken.',
    'src/load was broken.',
    'The fault is in rc/load.ts.',
    'The fault is in load.tsx.',
  ])('is refused with a part of a number or path, or a name that is not there: %s', (said) => {
    expect(isTaken(said)).toBe(false);
  });

  it('is taken once', () => {
    const said = { conclusion: 'The cause was a missing flush.', evidence: [8] };
    expect(check(said, said)).toMatchObject({ taken: [{}], refused: [{ why: 'said twice' }] });
  });

  it('is one line without anything that drives a terminal, and cites what exists', () => {
    fc.assert(
      fc.property(fc.array(fc.anything(), { maxLength: 20 }), fc.string({ unit: 'binary' }), (said, text) => {
        const { taken, refused } = check(...said, { conclusion: text, evidence: [8] });
        expect(taken.length + refused.length).toBe(said.length + 1);
        for (const { text: line, evidence } of taken) {
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
          expect(line.isWellFormed()).toBe(true);
          expect(evidence.every((seq) => seq === 3 || seq === 8)).toBe(true);
        }
      }),
    );
  });
});
