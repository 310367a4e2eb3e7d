import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../shared/events.ts';
import { regroup } from './regroup.ts';
import { LogBuilder } from './testing.ts';

async function run(log: LogBuilder): Promise<{ out: SessionEvent[]; orphans: number[] }> {
  const orphans: number[] = [];
  const out: SessionEvent[] = [];
  for await (const event of regroup(log.events, (event) => orphans.push(event.seq))) out.push(event);
  return { out, orphans };
}

describe('regroup', () => {
  it('puts the calls of one response first, then their results as they came, then what stood between', async () => {
    const log = new LogBuilder();
    const prompt = log.user('a');
    const a = log.call('r1', 'A');
    const ra = log.result('A');
    const note = log.system('reminder');
    const b = log.call('r1', 'B');
    const c = log.call('r1', 'C');
    const queued = log.user('and this', undefined, 'queued');
    const rc = log.result('C');
    const rb = log.result('B');
    const reply = log.assistant('r2', 'done');
    const { out, orphans } = await run(log);
    expect(out.map((event) => event.seq)).toEqual([prompt, a, b, c, ra, rc, rb, note, queued, reply]);
    expect(orphans).toEqual([]);
  });

  it('keeps a call that never got a result', async () => {
    const log = new LogBuilder();
    log.call('r1', 'A');
    log.user('stop');
    log.assistant('r2', 'ok');
    expect((await run(log)).out.map((event) => event.seq)).toEqual([0, 1, 2]);
  });

  it('hands back results that answer no call, or a call again', async () => {
    const log = new LogBuilder();
    const early = log.result('A');
    log.call('r1', 'A');
    log.result('A');
    const twice = log.result('A');
    const { out, orphans } = await run(log);
    expect(orphans).toEqual([early, twice]);
    expect(out.map((event) => event.seq)).toEqual([1, 2]);
  });

  it('gives up waiting after some hundred events', async () => {
    const log = new LogBuilder();
    log.call('r0', 'lost');
    for (let i = 0; i < 700; i++) log.user('x');
    const late = log.result('lost');
    const { out, orphans } = await run(log);
    expect(orphans).toEqual([late]);
    expect(out).toHaveLength(701);
  });

  it('never loses an event, and every result stands with its call', async () => {
    const step = fc.tuple(fc.constantFrom('user', 'text', 'call', 'result', 'think'), fc.nat(5));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const log = new LogBuilder();
        for (const [kind, k] of steps) {
          if (kind === 'user') log.user('u');
          else if (kind === 'text') log.assistant(`r${k}`, 't');
          else if (kind === 'think') log.thinking(`r${k}`, 't');
          else if (kind === 'call') log.call(`r${k}`, `c${k}`);
          else log.result(`c${k}`);
        }
        const { out, orphans } = await run(log);
        const seen = [...out.map((event) => event.seq), ...orphans].toSorted((a, b) => a - b);
        expect(seen).toEqual(log.events.map((event) => event.seq));
        for (const [at, event] of out.entries()) {
          if (event.type !== 'tool.result') continue;
          let before = at - 1;
          while (out[before]?.type === 'tool.result') before--;
          const response = out[before]?.payload.response;
          const calls: unknown[] = [];
          for (; out[before]?.payload.response === response && before >= 0; before--)
            calls.push(out[before]?.payload.call_id);
          expect(calls).toContain(event.payload.call_id);
        }
      }),
    );
  });
});
