import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unwrap } from '../../shared/errors.ts';
import { LogBuilder } from '../view/testing.ts';
import { partsOf } from './result.ts';
import { page, run, shell, tokenizer } from './testing.ts';

describe('the budget', () => {
  it('fails with the items named when P0 does not fit, and cuts nothing of it', () => {
    const log = new LogBuilder();
    log.user(`Do this: ${'word '.repeat(3000)}`);
    const result = run(log, { budget: 1000 });
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'p0_over_budget', details: { budget: 1000, items: [{ id: 'request-e0' }] } },
    });
    expect(result.ok || result.error.message).toMatch(/request-e0/);
  });

  const full: [string, (log: LogBuilder) => void, string][] = [
    [
      'the request',
      (log) => log.user(`Do this: ${'word '.repeat(900)}`),
      'Raise the budget, or say what is to be done in a shorter prompt.',
    ],
    [
      'open tasks',
      (log) => {
        for (let i = 0; i < 90; i++)
          log.event('todo.add', { id: `${i}`, text: `Task ${i} of the long list`, order: i });
      },
      'Raise the budget, or have the tasks closed that are no longer open.',
    ],
    [
      'rules',
      (log) => {
        for (let i = 0; i < 50; i++) log.user(`You must never change the file number${i} of the project.`);
        log.user('Go on.');
      },
      'Raise the budget.',
    ],
  ];
  it.each(full)('says what helps where %s take it up', (_what, fill, advice) => {
    const log = new LogBuilder();
    log.user('Begin.');
    fill(log);
    const result = run(log, { budget: 700 });
    expect(result.ok || result.error.message.slice(result.error.message.indexOf('Raise'))).toBe(advice);
    const tooLong = run(log, { budget: 1_000_000, maxChars: 1_500 });
    expect(tooLong.ok || tooLong.error.message).toContain('Raise the bound of characters');
  });

  it('is not taken up by hundreds of decisions: older ones compete with other evidence', () => {
    const log = new LogBuilder();
    log.user('Begin.');
    for (let i = 0; i < 200; i++)
      log.event('decision', { conclusion: `Choose the way number ${i} for the module ${i}` });
    const { items } = page(log, { budget: 100_000 });
    const must = items.filter(({ kind, priority }) => kind === 'decision' && priority === 'p0');
    expect(must).toHaveLength(30);
    expect(must[0]!.text).toContain('number 170');
    expect(items.filter(({ kind }) => kind === 'decision')).toHaveLength(200);
    expect(page(log, { budget: 1_500 }).dropped.length).toBeGreaterThan(100);
  });

  it('gives P0 and P1 at most three fifths, and parts that add up', () => {
    const log = new LogBuilder();
    log.user('start');
    for (let i = 0; i < 200; i++) {
      shell(log, `c${i}`, `run --number ${i} --with some --more options`, `output number ${i} with a few words`, 0);
      log.assistant(`r${i}`, `I ran number ${i} and this is what I think about it now.`);
    }
    const compiled = page(log, { budget: 3000 });
    const parts = partsOf(compiled);
    expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(compiled.tokens);
    expect(parts[0]!.tokens + parts[1]!.tokens).toBeLessThanOrEqual(3000 * 0.62);
    expect(parts[1]!.tokens).toBeGreaterThan(500);
    expect(parts[2]!.tokens).toBeGreaterThan(500);
  });

  it('leaves nothing out for want of room while there is room for it', () => {
    const log = new LogBuilder();
    log.user('start');
    for (let i = 0; i < 60; i++)
      shell(log, `c${i}`, `run --number ${i}`, `error ${i}: ${'some words of it '.repeat(12)}`, 1);
    log.assistant('r', 'Nothing of it works.');
    const all = page(log, { budget: 1_000_000 });
    const lineOfOmissions = 60;
    expect(page(log, { budget: all.tokens + lineOfOmissions }).dropped).toEqual([]);
    const { tokens, dropped } = page(log, { budget: 4_000 });
    expect(dropped.length).toBeGreaterThan(0);
    expect(4_000 - tokens).toBeLessThan(Math.max(...dropped.map((one) => one.tokens)) * 2);
  });

  it('gives P1 half of what a large P0 leaves, before the conversation gets any', () => {
    const log = new LogBuilder();
    log.user(`Do this: ${'word '.repeat(2_200)}`);
    for (let i = 0; i < 100; i++) {
      shell(log, `c${i}`, `run --number ${i} with some --more options`, `output number ${i} with a few words`, 0);
      log.assistant(`r${i}`, `I ran number ${i} and this is what I think about it: ${'it is fine. '.repeat(20)}`);
    }
    log.user(`Do this now: ${'word '.repeat(2_200)}`);
    const compiled = page(log, { budget: 4_000 });
    const [p0, p1, p2] = partsOf(compiled).map(({ tokens }) => tokens) as [number, number, number];
    expect(p0).toBeGreaterThan(4_000 * 0.6);
    expect(p1).toBeGreaterThan((4_000 - p0) * 0.4);
    expect(p2).toBeGreaterThan(0);
  });

  const step = fc.tuple(
    fc.constantFrom('user', 'reply', 'shell', 'fail', 'edit', 'todo', 'mcp', 'decide', 'compact', 'memory'),
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 80 }),
      fc.constantFrom('必须保留旧接口。', 'you must not', 'x'.repeat(3000), '🍏'.repeat(900), '\ud83c broken'),
    ),
    fc.nat(6),
  );
  const logs = fc.array(step, { maxLength: 40 }).map((steps) => {
    const log = new LogBuilder();
    for (const [kind, text, k] of steps) {
      if (kind === 'user') log.user(text);
      else if (kind === 'reply') log.assistant(`r${k}`, text);
      else if (kind === 'shell') shell(log, `s${k}`, `cmd ${text}`, text, 0);
      else if (kind === 'fail') shell(log, `f${k}`, `cmd ${k}`, text, 1);
      else if (kind === 'edit') log.event('file.edit', { path: `src/${k}.ts`, op: 'edit', diff: text });
      else if (kind === 'todo')
        log.event('todo.update', { id: `${k}`, text, status: k > 3 ? 'pending' : 'done', order: k });
      else if (kind === 'mcp') log.call(`m${k}`, `m${k}`, 'mcp', { what: text });
      else if (kind === 'decide') log.event('decision', { conclusion: text, supersedes: k });
      else if (kind === 'memory') log.event('memory.write', { key: 'k', value: text });
      else log.compacted([], { summary: [{ kind: 'text', text }] });
    }
    return log;
  });

  it('is never exceeded, frame included; kept and dropped are all items; each seq exists', () => {
    fc.assert(
      fc.property(
        logs,
        fc.integer({ min: 200, max: 4000 }),
        fc.constantFrom(1, 1.2),
        fc.option(fc.integer({ min: 1500, max: 6000 })),
        (log, budget, factor, maxChars) => {
          const bounds = { budget, factor, maxChars: maxChars ?? undefined };
          const result = run(log, bounds);
          if (!result.ok) return;
          const { text, items, dropped, tokens } = result.value;
          expect(tokens).toBe(Math.ceil(tokenizer.count(text) * factor));
          expect(tokens).toBeLessThanOrEqual(budget);
          if (maxChars !== null) expect(text.length).toBeLessThanOrEqual(maxChars);
          expect(text.isWellFormed()).toBe(true);
          for (const item of items) expect(text).toContain(item.text);
          const ids = [...items, ...dropped].map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          const roomy = unwrap(run(log, { budget: 1_000_000 }));
          expect(ids.toSorted()).toEqual([...roomy.items, ...roomy.dropped].map(({ id }) => id).toSorted());
          for (const seq of [...items, ...dropped].flatMap(({ provenance }) => provenance))
            expect(log.events[seq]).toBeDefined();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('gives the same bytes for the same input', () => {
    fc.assert(
      fc.property(logs, (log) => {
        const once = run(log, { budget: 2000 });
        expect(run(log, { budget: 2000 })).toEqual(once);
      }),
      { numRuns: 30 },
    );
  });
});
