import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiledSchema } from '../../shared/compiled.ts';
import { unwrap } from '../../shared/errors.ts';
import { type Lab, layLongSession, makeLab } from '../handoff/testing.ts';
import { keychain } from '../keys/keychain.ts';
import { createHome } from '../procedures/home.ts';
import { withCompiler } from './threaded.ts';

let lab: Lab;
let long: string;
beforeAll(async () => {
  lab = await makeLab();
  long = await layLongSession(lab.home, 30);
  unwrap(await lab.engine.local.import({}));
});
afterAll(() => lab.close());

const compile = (more: object = {}) => lab.engine.local.compile({ session: lab.session.id, for: 'codex', ...more });
const page = async (more: object = {}) => compiledSchema.parse(unwrap(await compile(more)));

describe('the room of a page', () => {
  it('comes from the window and reserve of the target, and says where they come from', async () => {
    const { window, budget } = await page();
    expect(window).toMatchObject({ tokens: 258_400, basis: expect.stringContaining('Codex') });
    expect(budget).toBeLessThanOrEqual((window!.tokens - window!.reserve) / 4);
  });

  it.each([
    [{ budget: 0 }],
    [{ budget: -5 }],
    [{ budget: 300_000 }],
    [{ budget: 200_000, reserve: 100_000 }],
    [{ reserve: 258_400 }],
    [{ reserve: 1_000_000 }],
    [{ factor: 0 }],
    [{ at: 1_000_000 }],
  ])('is refused where no window has it: %j', async (asked) => {
    const asCall = await lab.engine.call('compile.run', { session: lab.session.id, for: 'codex', ...asked });
    expect(asCall).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
  });

  it('is refused where the agent’s own settings leave nothing', async () => {
    await mkdir(join(lab.home, '.pi', 'agent'), { recursive: true });
    const models = { providers: { local: { models: [{ id: 'tiny', contextWindow: 8_000 }] } } };
    await writeFile(join(lab.home, '.pi', 'agent', 'models.json'), JSON.stringify(models));
    const settings = { defaultProvider: 'local', defaultModel: 'tiny' };
    await writeFile(join(lab.home, '.pi', 'agent', 'settings.json'), JSON.stringify(settings));
    expect(await compile({ for: 'pi' })).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    expect(await page({ for: 'pi', reserve: 1_000 })).toMatchObject({ window: { tokens: 8_000, reserve: 1_000 } });
  });

  it('has P0 whole or no page at all, by one token', async () => {
    const { tokens } = await page({ budget: 3_000 });
    let least = 1;
    for (let most = tokens; least < most; ) {
      const middle = (least + most) >> 1;
      if ((await compile({ budget: middle })).ok) most = middle;
      else least = middle + 1;
    }
    expect((await page({ budget: least })).tokens).toBeLessThanOrEqual(least);
    expect(await compile({ budget: least - 1 })).toMatchObject({
      ok: false,
      error: {
        code: 'p0_over_budget',
        details: {
          needed: least,
          budget: least - 1,
          items: expect.arrayContaining([expect.objectContaining({ tokens: expect.any(Number) })]),
        },
      },
    });
  });
});

describe('a page', () => {
  it('can be made again, also when the session has grown, in this thread or another', async () => {
    const first = await page({ session: long, budget: 3_000, at: 40 });
    const { id } = unwrap(await lab.engine.call('sessions.get', { id: long }));
    expect(first.reproduce).toBe(`sessionctl compile ${id} --for codex --budget 3000 --factor 1 --at 40`);
    expect(await page({ session: long, budget: 3_000, at: 40 })).toEqual(first);
    expect(first.items.every(({ provenance }) => provenance.every((seq) => seq <= 40))).toBe(true);
    expect((await page({ session: long, budget: 3_000 })).sha256).not.toBe(first.sha256);
  });

  it('is the same in a thread of its own', async () => {
    const keys = keychain({ env: lab.options.agents.env });
    const handle = createHome(
      lab.options,
      keys,
      () => {},
      () => false,
    );
    const home = unwrap(await handle.open());
    const asked = {
      session: lab.session.id,
      at: lab.session.events - 1,
      target: 'codex',
      budget: 4_000,
      factor: 1,
      redactionKey: home.keys.redaction,
    };
    const [here, there] = await Promise.all(
      ['cli', 'electron'].map((host) => withCompiler(home.store, host, (compiler) => compiler.page(asked))),
    );
    await handle.close();
    expect(there).toEqual(here);
    expect(here!.ok).toBe(true);
  });
});
