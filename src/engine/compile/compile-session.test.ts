import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { compiledSchema } from '../../shared/compiled.ts';
import { unwrap } from '../../shared/errors.ts';
import { type Lab, layLongSession, makeLab } from '../handoff/testing.ts';
import { goOn } from '../handoff/testing-go-on.ts';
import { keychain } from '../keys/keychain.ts';
import type { OpenHome } from '../procedures/context.ts';
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

  it('is half of a small window at least, whatever the agent’s own settings leave, and the basis says so', async () => {
    await mkdir(join(lab.home, '.pi', 'agent'), { recursive: true });
    const models = { providers: { local: { models: [{ id: 'tiny', contextWindow: 8_000 }] } } };
    await writeFile(join(lab.home, '.pi', 'agent', 'models.json'), JSON.stringify(models));
    const settings = { defaultProvider: 'local', defaultModel: 'tiny' };
    await writeFile(join(lab.home, '.pi', 'agent', 'settings.json'), JSON.stringify(settings));
    const { window, budget } = await page({ for: 'pi' });
    expect(window).toMatchObject({ tokens: 8_000, reserve: 4_000, basis: expect.stringContaining('held to half') });
    expect(budget).toBe(1_000);
    expect(await page({ for: 'pi', reserve: 1_000 })).toMatchObject({ window: { tokens: 8_000, reserve: 1_000 } });
    expect(await compile({ for: 'pi', budget: 4_001 })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request' },
    });
  });

  it('has a default with an upper bound, which no small window refuses', async () => {
    expect((await page({ for: 'pi', at_most: 32_000 })).budget).toBe(1_000);
    expect((await page({ at_most: 2_000 })).budget).toBe(2_000);
    expect((await page({ for: 'cursor', at_most: 2_000 })).budget).toBe(2_000);
    expect((await page({ at_most: 2_000, budget: 3_000 })).budget).toBe(3_000);
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

  it('has the same bytes when its session has gone on in another branch', async () => {
    const row = unwrap(await lab.engine.call('sessions.get', { id: long }));
    const first = await page({ session: long, at: 40 });
    expect(first.text).toContain('Folder /home/dev/long, branch main when the session began.');
    const uuid = '00000000-0000-4000-8000-00000000ffff';
    const record = { type: 'user', uuid, parentUuid: '00000000-0000-4000-8000-000000000059', gitBranch: 'feature' };
    const more = { sessionId: row.native_id, cwd: '/home/dev/long/sub', timestamp: '2026-11-30T10:00:00.000Z' };
    const message = { role: 'user', content: 'Go on over there.' };
    await appendFile(row.source!, `${JSON.stringify({ ...record, ...more, message })}\n`);
    unwrap(await lab.engine.local.import({}));
    expect(unwrap(await lab.engine.call('sessions.get', { id: long })).git_branch).toBe('feature');
    expect(await page({ session: long, at: 40 })).toEqual(first);
  });

  it('of what a session of the reader does not know names no command: what that knows and has done changes', async () => {
    const to = { session: lab.session.id, to: 'codex', cwd: lab.project, operation_id: 'op-since' };
    const { new_session } = unwrap(await lab.engine.call('handoff.execute', to));
    goOn('claude', lab.session.source!, lab.session.native_id);
    unwrap(await lab.engine.local.import({}));
    const { since, reproduce } = await page({ since: new_session });
    expect(since).toMatchObject({ agent: 'codex' });
    expect(reproduce).toBeUndefined();
    expect((await page()).reproduce).toContain('sessionctl compile');
  });
});

describe('a thread that compiles', () => {
  let home: OpenHome;
  let handle: ReturnType<typeof createHome>;
  beforeAll(async () => {
    const keys = keychain({ env: lab.options.agents.env });
    handle = createHome(
      lab.options,
      keys,
      () => {},
      () => false,
    );
    home = unwrap(await handle.open());
  });
  afterAll(() => handle.close());

  const asked = () => ({
    session: lab.session.id,
    at: lab.session.events - 1,
    target: 'codex',
    budget: 4_000,
    factor: 1,
    redactionKey: home.keys.redaction,
  });
  const on = (host: string) => withCompiler(home.store, host, (compiler) => compiler.page(asked()));

  it('gives the same page', async () => {
    const [here, there] = await Promise.all(['cli', 'electron'].map(on));
    expect(there).toEqual(here);
    expect(here!.ok).toBe(true);
  });

  it('that has ended for want of work is followed by another for whoever asks meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const first = await on('electron');
    vi.runOnlyPendingTimers();
    vi.useRealTimers();
    expect(await on('electron')).toEqual(first);
  });
});
