import { describe, expect, it } from 'vitest';
import { LogBuilder } from '../../core/view/testing.ts';
import { ok, unwrap } from '../../shared/errors.ts';
import type { EngineContext } from './context.ts';
import { transcriptProcedures } from './transcript.ts';

const ID = `sess_${'a'.repeat(20)}`;

/** A store with one session that a test lets grow; `slow` holds back what one call reads. */
function growing() {
  const log = new LogBuilder();
  const store = { slow: Promise.resolve() };
  const reader = {
    find: async () => [{ id: ID, native_id: 'n', source: null, parent: null, events: log.events.length }],
    enabledSources: async () => [],
    index: async () => {
      const [index, { slow }] = [log.index(), store];
      await slow;
      return index;
    },
    eventsAt: async (_id: string, seqs: number[]) => seqs.map((seq) => log.events[seq]!),
  };
  const context = { home: async () => ok({ store: { reader } }) } as unknown as EngineContext;
  const { signal } = new AbortController();
  const rows = async () =>
    unwrap(await transcriptProcedures['transcript.rows'](context, { id: ID, from: 0, limit: 500 }, signal));
  return { log, store, rows };
}

describe('rows of a session that grows', () => {
  it('are each there once, though an older reading ends after a newer one', async () => {
    const { log, store, rows } = growing();
    log.user('one');
    let release = (): void => {};
    store.slow = new Promise((resolve) => {
      release = () => resolve();
    });
    const older = rows();
    // until it has taken what the session was
    await new Promise((resolve) => setImmediate(resolve));
    store.slow = Promise.resolve();
    log.user('two');
    expect(await rows()).toMatchObject({ total: 2, head_seq: 1 });
    release();
    expect((await older).total).toBe(2);
    log.user('three');
    const { total, rows: shown } = await rows();
    expect([total, shown.length]).toEqual([3, 3]);
  });
});
