import { expect, it } from 'vitest';
import type { PreloadBridge } from '../../shared/api.ts';
import { ok } from '../../shared/errors.ts';
import { connectPreload } from './preload-bridge.ts';

it('an aborted call is cancelled in the engine by its number', async () => {
  const cancelled: number[] = [];
  let answer: (value: unknown) => void = () => {};
  const preload: PreloadBridge = {
    host: 'electron',
    invoke: () => ({ id: 4, answer: new Promise((resolve) => (answer = resolve)) }),
    cancel: (id) => cancelled.push(id),
    subscribe: () => () => {},
    artifactUrl: () => null,
  };
  const controller = new AbortController();
  const call = connectPreload(preload).call('app.info', {}, controller.signal);
  controller.abort();
  answer(ok('late'));
  expect(await call).toEqual(ok('late'));
  expect(cancelled).toEqual([4]);
});
