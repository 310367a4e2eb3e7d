import { beforeEach, describe, expect, it } from 'vitest';
import { fail } from '../../../shared/errors.ts';
import { clientOf } from '../../app/client.ts';
import { lastDone, recordProgress, startRun, stepState, stopRun, useRuns } from './runs.ts';

const bare = { id: 'op1', input: { session: 's', to: 'codex' }, title: 'T', from: 'claude', label: 'Codex' };
const clientWith = (call: (signal?: AbortSignal) => Promise<unknown>) =>
  clientOf({
    host: 'web',
    call: (_name, _input, signal) => call(signal) as never,
    subscribe: () => () => {},
    artifactUrl: () => null,
  });
const run = () => useRuns.getState().runs.op1;

describe('a handoff run', () => {
  beforeEach(() => useRuns.setState({ runs: {} }));

  it('is one operation however often the button is pressed', async () => {
    let calls = 0;
    const client = clientWith(async () => {
      calls += 1;
      return { ok: true, value: { operation_id: 'op1' } };
    });
    const [first, second] = await Promise.all([startRun(client, bare), startRun(client, bare)]);
    expect(calls).toBe(1);
    expect([first?.state, second]).toEqual(['done', undefined]);
    expect(lastDone()?.id).toBe('op1');
  });

  it('shows what was taken back and what never started when a step fails', async () => {
    const client = clientWith(async () => {
      recordProgress({ operation_id: 'op1', step: 'snapshot', state: 'done', text: '' });
      recordProgress({ operation_id: 'op1', step: 'redact', state: 'removed', text: '' });
      recordProgress({ operation_id: 'op1', step: 'readback', state: 'running', text: '' });
      return fail('readback_mismatch', 'Event e702 differs.');
    });
    await startRun(client, bare);
    const ended = run();
    expect(ended?.error?.code).toBe('readback_mismatch');
    expect(
      ended && (['snapshot', 'redact', 'readback', 'rename'] as const).map((step) => stepState(ended, step)),
    ).toEqual(['removed', 'removed', 'failed', 'not_started']);
  });

  it('is stopped by the person, and says so', async () => {
    const client = clientWith(
      (signal) =>
        new Promise((resolve) => signal?.addEventListener('abort', () => resolve(fail('cancelled', 'stopped')))),
    );
    const ended = startRun(client, bare);
    stopRun('op1');
    expect((await ended)?.error?.message).toBe('Stopped. Nothing was left behind.');
  });

  it('ignores progress of operations it does not know', () => {
    recordProgress({ operation_id: 'other', step: 'write', state: 'done', text: '' });
    expect(useRuns.getState().runs).toEqual({});
  });
});
