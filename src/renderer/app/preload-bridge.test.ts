import { describe, expect, it } from 'vitest';
import type { PreloadBridge } from '../../shared/api.ts';
import { connectPreload } from './preload-bridge.ts';

function preload() {
  const cancelled: number[] = [];
  const answers = new Map<number, (value: unknown) => void>();
  let calls = 0;
  const bridge: PreloadBridge = {
    host: 'electron',
    invoke() {
      calls += 1;
      const id = calls;
      return { id, answer: new Promise((resolve) => answers.set(id, resolve)) };
    },
    cancel: (id) => void cancelled.push(id),
    subscribe: () => () => {},
    artifactUrl: () => null,
  };
  return { bridge, cancelled, answers };
}

describe("Electron's bridge", () => {
  it('cancels a call by its number, and none that has its answer', async () => {
    const { bridge, cancelled, answers } = preload();
    const stop = new AbortController();
    const first = connectPreload(bridge).call('app.info', {}, stop.signal);
    answers.get(1)?.({ ok: false, error: { code: 'not_found', message: '' } });
    expect((await first).ok).toBe(false);
    const second = connectPreload(bridge).call('app.info', {}, stop.signal);
    stop.abort();
    expect(cancelled).toEqual([2]);
    answers.get(2)?.({ ok: false, error: { code: 'cancelled', message: '' } });
    await second;
  });

  it('does not start a call that is stopped already', async () => {
    const { bridge, answers } = preload();
    const answer = await connectPreload(bridge).call('app.info', {}, AbortSignal.abort());
    expect(answer).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(answers.size).toBe(0);
  });
});
