import { expect, it } from 'vitest';
import type { Engine } from '../engine/engine.ts';
import { fail, ok } from '../shared/errors.ts';
import { follow, keep } from './open-store.ts';

it('a look at what others write that could not begin is tried again by the next one who waits', async () => {
  const answers = [fail('store_busy', 'Try again.'), ok(async () => {})];
  let listening = 0;
  const engine = {
    subscribe: () => {
      listening++;
      return () => listening--;
    },
    local: { follow: async () => answers.shift() },
  } as unknown as Engine;
  const store = {};
  const listeners = new Set<() => void>();
  keep(store, { engine, closed: new AbortController(), following: null, listeners });
  await expect(follow(store, () => {})).rejects.toMatchObject({ code: 'store_busy' });
  expect([listeners.size, listening]).toEqual([0, 0]);
  const end = await follow(store, () => {});
  expect([listeners.size, listening]).toEqual([1, 1]);
  end();
  expect([listeners.size, listening]).toEqual([0, 0]);
});
