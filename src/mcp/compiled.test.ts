import { describe, expect, it } from 'vitest';
import type { CompiledContext } from '../shared/compiled.ts';
import { fail, ok, type Result } from '../shared/errors.ts';
import { compiledPage } from './compiled.ts';
import { cleaner } from './outgoing.ts';
import type { Call } from './tool.ts';

const PAGE = { text: 'page', tokens: 1, budget: 1, sha256: 's', items: [], dropped: [], cannot_see: [] };
const page = (more: object = {}): Result<CompiledContext> => ok({ ...PAGE, ...more } as unknown as CompiledContext);

/** A call whose engine answers one after the other, and what it was asked for. */
function callOf(...answers: Result<CompiledContext>[]) {
  const asked: object[] = [];
  const engine = {
    call: async (_name: string, input: object) => {
      asked.push(input);
      return answers[asked.length - 1];
    },
  };
  return { asked, call: { connection: { engine }, clean: cleaner() } as unknown as Call };
}

const wanted = { session: 's', target: 'opencode' };

describe('a compiled page', () => {
  it('is no larger than the window leaves: the room that nobody asked for is a bound and no budget', async () => {
    const { call, asked } = callOf(page(), page());
    expect(await compiledPage(call, wanted, 32_000)).toMatchObject({ ok: true });
    await compiledPage(call, { ...wanted, budget: 900 }, 32_000);
    expect(asked).toEqual([
      { session: 's', for: 'opencode', at_most: 32_000 },
      { session: 's', for: 'opencode', budget: 900 },
    ]);
  });

  it('takes more for what must not be cut, and says so where no window has room for that', async () => {
    const over = fail('p0_over_budget', 'Too small.', { needed: 40_000 });
    const { call, asked } = callOf(over, page());
    expect(await compiledPage(call, wanted, 32_000)).toMatchObject({ ok: true });
    expect(asked[1]).toMatchObject({ budget: 40_000 });
    const refused = fail('invalid_request', 'A budget of 40000 tokens is more than the window leaves.');
    expect(await compiledPage(callOf(over, refused).call, wanted, 32_000)).toEqual(over);
  });

  it('holds no secret, though the parts are cut between two halves of one', async () => {
    const token = ['gh', 'p_', 'q7Rk2mXw9TzB4nVc8LdF6hJs3GyA1eUo5PiZ'].join('');
    const text = `${'x'.repeat(1_990)} ${token} ${'word '.repeat(9_000)}`;
    const told = await compiledPage(callOf(page({ text })).call, wanted, 32_000);
    expect(told).toMatchObject({ ok: true });
    expect(JSON.stringify(told)).not.toContain(token.slice(4, 8));
  });
});
