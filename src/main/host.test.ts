import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { laySample } from '../engine/sample.ts';
import { unwrap } from '../shared/errors.ts';
import { openHost } from './host.ts';

vi.mock('../engine/sample.ts', async (load) => {
  const sample = await load<typeof import('../engine/sample.ts')>();
  return { ...sample, laySample: vi.fn(sample.laySample) };
});

let folder: string;
let temp: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'host-'));
  temp = join(folder, 'tmp');
  await mkdir(temp);
  vi.stubEnv('TMPDIR', temp);
  vi.stubEnv('HOME', folder);
  vi.stubEnv('SESSIONCTL_HOME', join(folder, 'store'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

describe('the sample', () => {
  it('looks at no folder of the user, whatever variable names it', async () => {
    const own = join(folder, 'own');
    for (const name of ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'HERMES_HOME', 'XDG_DATA_HOME']) vi.stubEnv(name, own);
    const { served, close } = await openHost({ host: 'web', sample: true });
    for (const { root } of unwrap(await served.call('sources.list', {}))) expect(root).toContain(temp);
    await close();
  });

  it('is made once, however often it is asked for at once, and goes with the host', async () => {
    const { served, close } = await openHost({ host: 'web', sample: false });
    const both = await Promise.all([served.call('sample.start', {}), served.call('sample.start', {})]);
    expect(both.map((one) => unwrap(one))).toEqual([unwrap(both[0]), unwrap(both[0])]);
    expect(await readdir(temp)).toHaveLength(1);
    expect(unwrap(await served.call('app.info', {}))).toMatchObject({ sample: true, initialised: true });
    await close();
    expect(await readdir(temp)).toEqual([]);
  });

  it('leaves nothing when it cannot be made, and can be asked for again', async () => {
    const { served, close } = await openHost({ host: 'web', sample: false });
    vi.mocked(laySample).mockRejectedValueOnce(new Error('no space left'));
    expect(await served.call('sample.start', {})).toMatchObject({ ok: false });
    expect(await readdir(temp)).toEqual([]);
    expect(await served.call('sample.start', {})).toMatchObject({ ok: true });
    await close();
    expect(await readdir(temp)).toEqual([]);
  });
});
