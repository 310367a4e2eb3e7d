import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { constraintsIn, questionsAtEnd } from './constraints.ts';
import { decisionsIn } from './decisions.ts';
import { staleFigures } from './figures.ts';
import { decisiveLines } from './output-lines.ts';
import { excerpt, sentences } from './sentences.ts';

describe('excerpt', () => {
  it('leaves a short text alone', () => {
    expect(excerpt('  One. Two. ', 100)).toBe('One. Two.');
  });

  it('keeps the end, the beginning and what tells most, and marks what is left out', () => {
    const text = `We looked at it. ${'Nothing of note here. '.repeat(40)}The cause was src/a.ts line 12. ${'More filler words. '.repeat(40)}It is fixed now.`;
    const short = excerpt(text, 120);
    expect(short).toContain('It is fixed now.');
    expect(short).toContain('src/a.ts line 12');
    expect(short).toContain('[…]');
  });

  it('is never longer than asked, nor ends inside a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), fc.integer({ min: 10, max: 300 }), (text, max) => {
        const short = excerpt(text, max);
        expect(short.length).toBeLessThanOrEqual(max);
        expect(short.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('sentences', () => {
  it('ends at full stops of both languages, not inside names and numbers', () => {
    expect(sentences('Use v1.2 of a.ts. Then stop! 先测试。再提交？')).toEqual([
      'Use v1.2 of a.ts.',
      'Then stop!',
      '先测试。',
      '再提交？',
    ]);
  });
});

describe('constraintsIn', () => {
  it('tells strict rules from loose ones', () => {
    expect(constraintsIn('Never push. I only wonder. 只能用标准库。 Fine.')).toEqual([
      { text: 'Never push.', strict: true },
      { text: 'I only wonder.', strict: false },
      { text: '只能用标准库。', strict: true },
    ]);
  });

  it('finds the rules that somebody typed around a long paste, and none in the paste', () => {
    const log = Array.from({ length: 300 }, (_, at) => `12:00:${at} WARN pool: you must not reuse the handle ${at}`);
    const code = Array.from({ length: 100 }, (_, at) => `  if (never${at}) return only${at}; // do not`);
    const prompt = `CI fails again, see below.\nNever edit the generated files!\n\n${log.join('\n')}\n\n${code.join('\n')}\n\n请勿升级依赖，先找出原因。`;
    expect(prompt.length).toBeGreaterThan(15_000);
    expect(constraintsIn(prompt).map(({ text }) => text)).toEqual([
      'Never edit the generated files!',
      '请勿升级依赖，先找出原因。',
    ]);
  });

  it('keeps the first rules of a long specification strict', () => {
    const points = Array.from(
      { length: 200 },
      (_, at) => `- The part called ${'abcdefgh'[at % 8]}${at} must not block.`,
    );
    const rules = constraintsIn(`What we need:\n\n${points.join('\n')}`);
    expect(rules).toHaveLength(200);
    expect(rules.filter(({ strict }) => strict)).toEqual(rules.slice(0, 30));
  });

  it('takes a very long prompt of short lines for a paste', () => {
    expect(constraintsIn(`You must not. ${'log line\n'.repeat(800)}`)).toEqual([]);
  });
});

describe('questionsAtEnd', () => {
  it('finds what a reply waits for', () => {
    expect(questionsAtEnd('Why? Because. I can do A or B. Which one? 还是都做？')).toEqual([
      'Why?',
      'Which one?',
      '还是都做？',
    ]);
    expect(questionsAtEnd('Done.')).toEqual([]);
  });
});

describe('decisiveLines', () => {
  it('keeps failures and the end, without colours, repeats and filler', () => {
    const output = `start\n${'ok\n'.repeat(50)}\u001b[31mError: expected 1 got 2\u001b[0m\n  at a.ts:3\nmore\nmore\n1 failed\n\n`;
    expect(decisiveLines(output, 3)).toEqual(['[…] Error: expected 1 got 2 […]', 'more', '1 failed']);
    expect(decisiveLines('', 3)).toEqual([]);
  });

  it('marks every gap and keeps the order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'error c', '', 'd'), { maxLength: 30 }),
        fc.integer({ min: 1, max: 6 }),
        (lines, max) => {
          const shown = decisiveLines(lines.join('\n'), max);
          expect(shown.length).toBeLessThanOrEqual(max);
          const words = shown.map((line) => line.replace(/^\[…\] | \[…\]$/g, ''));
          let at = -1;
          for (const word of words) {
            at = lines.findIndex((line, place) => place > at && line === word);
            expect(at).toBeGreaterThanOrEqual(0);
          }
        },
      ),
    );
  });
});

describe('texts made to take long', () => {
  const long = [
    `${'.'.repeat(200_000)}a`,
    `${'!)'.repeat(100_000)}a`,
    `${'。”'.repeat(100_000)}a`,
    `[${Array.from({ length: 60_000 }, (_, at) => at).join(',')}]`,
    `${'1.'.repeat(200_000)} ms`,
    '\n'.repeat(200_000),
    'a'.repeat(400_000),
    '`'.repeat(200_000),
    'from '.repeat(100_000),
    `Use ${'replaced '.repeat(50_000)}`,
    `${'We decided on a. '.repeat(20_000)}`,
  ];

  it.each(long.map((text) => [text.slice(0, 12), text]))('are looked at in proportion to them: %j', (_, text) => {
    expect(sentences(text).join('').length).toBeLessThanOrEqual(text.length);
    expect(excerpt(text, 500).length).toBeLessThanOrEqual(500);
    expect(constraintsIn(text).length).toBeLessThanOrEqual(text.length);
    expect(questionsAtEnd(text)).toEqual([]);
    expect(staleFigures([{ seq: 1, text }]).size).toBe(0);
    expect(decisionsIn({ prompts: [{ seq: 1, text }], replies: [{ seq: 2, text }] }).length).toBeLessThan(text.length);
  });
});
