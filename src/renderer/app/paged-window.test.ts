import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PagedWindow } from './paged-window.ts';

/** A list in the "engine", with each request held until the test answers it. */
function engine(size: number) {
  const asked: { from: number; limit: number; signal: AbortSignal; answer(): Promise<void> }[] = [];
  const state = { size, edition: 0 };
  const errors: unknown[] = [];
  const view = new PagedWindow<string>({
    pageSize: 10,
    keep: 40,
    onError: (thrown) => errors.push(thrown),
    fetch: (from, limit, signal) =>
      new Promise((resolve, reject) => {
        asked.push({
          from,
          limit,
          signal,
          async answer() {
            if (signal.aborted) reject(new Error('aborted'));
            const count = Math.max(0, Math.min(limit, state.size - from));
            resolve({
              total: state.size,
              rows: Array.from({ length: count }, (_, i) => `${from + i}.${state.edition}`),
            });
            await Promise.resolve();
            await Promise.resolve();
          },
        });
      }),
  });
  const answerAll = async () => {
    while (asked.length > 0) await asked.shift()?.answer();
  };
  return { view, asked, state, errors, answerAll };
}

describe('PagedWindow', () => {
  it('shows the first rows of a list that was empty before', async () => {
    const { view, state, answerAll } = engine(0);
    view.ensure(0, 5);
    await answerAll();
    expect(view.total).toBe(0);
    state.size = 3;
    view.invalidate();
    await answerAll();
    expect([view.total, view.get(0)]).toEqual([3, '0.0']);
  });

  it('asks once for each page that is looked at, and knows the total from the first answer', async () => {
    const { view, asked, answerAll } = engine(95);
    view.ensure(3, 14);
    view.ensure(3, 14);
    expect(asked.map((request) => request.from)).toEqual([0, 10]);
    await answerAll();
    expect(view.total).toBe(95);
    expect([view.get(0), view.get(19), view.get(20)]).toEqual(['0.0', '19.0', undefined]);
    view.ensure(5, 12);
    expect(asked).toEqual([]);
  });

  it('loads rows that lie apart, each page once', async () => {
    const { view, asked, answerAll } = engine(95);
    view.ensureEach([2, 4, 35, 90]);
    view.ensureEach([2, 4, 35, 90]);
    expect(asked.map((request) => [request.from, request.signal.aborted])).toEqual([
      [0, false],
      [30, false],
      [90, false],
    ]);
    await answerAll();
    expect([view.get(2), view.get(35), view.get(90)]).toEqual(['2.0', '35.0', '90.0']);
  });

  it('gives up loads of rows that were scrolled past', async () => {
    const { view, asked } = engine(95);
    view.ensure(0, 5);
    view.ensure(60, 65);
    expect(asked[0]?.signal.aborted).toBe(true);
    await asked[0]?.answer();
    await asked[1]?.answer();
    expect(view.get(0)).toBeUndefined();
    expect(view.get(60)).toBe('60.0');
  });

  it('keeps showing old rows until the new ones are here', async () => {
    const { view, state, answerAll } = engine(25);
    view.ensure(0, 24);
    await answerAll();
    state.edition = 1;
    state.size = 26;
    view.invalidate(20);
    expect(view.get(20)).toBe('20.0');
    await answerAll();
    expect([view.total, view.get(9), view.get(20), view.get(25)]).toEqual([26, '9.0', '20.1', '25.1']);
  });

  it('takes seeded rows and does not ask for them again', async () => {
    const { view, asked } = engine(25);
    view.seed(0, { total: 5, rows: ['a', 'b', 'c', 'd', 'e'] });
    view.ensure(0, 4);
    expect(asked).toEqual([]);
  });

  it('drops rows that are gone when the list got shorter', async () => {
    const { view, state, answerAll } = engine(25);
    view.ensure(0, 24);
    await answerAll();
    state.size = 3;
    view.invalidate();
    await answerAll();
    expect([view.total, view.get(2), view.get(3), view.get(24)]).toEqual([3, '2.0', undefined, undefined]);
  });

  it('reports a failed load and can be asked again', async () => {
    const errors: unknown[] = [];
    let broken = true;
    const view = new PagedWindow<number>({
      pageSize: 10,
      keep: 40,
      onError: (thrown) => errors.push(thrown),
      fetch: async () => {
        if (broken) throw new Error('no');
        return { total: 1, rows: [7] };
      },
    });
    view.ensure(0, 0);
    await Promise.resolve();
    await Promise.resolve();
    expect(errors).toHaveLength(1);
    broken = false;
    view.ensure(0, 0);
    await Promise.resolve();
    await Promise.resolve();
    expect(view.get(0)).toBe(7);
  });

  it('holds no more rows than it may, whatever is looked at, and always those looked at', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(980), { minLength: 1, maxLength: 30 }), async (places) => {
        const { view, answerAll } = engine(1000);
        for (const place of places) {
          view.ensure(place, place + 15);
          await answerAll();
          for (let i = place; i <= place + 15; i += 1) expect(view.get(i)).toBe(`${i}.0`);
          expect(view.held).toBeLessThanOrEqual(40);
        }
      }),
      { numRuns: 50 },
    );
  });
});
