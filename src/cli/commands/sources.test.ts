import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFixture } from '../../../fixtures/load.ts';
import type { SourceInfo } from '../../shared/api.ts';
import { type CliLab, cliLab } from '../testing.ts';

let lab: CliLab;
beforeEach(async () => {
  lab = await cliLab(['simple-qa']);
  await lab.run('init', '--key-file');
});
afterEach(() => lab.close());

const enabled = async (): Promise<string[]> =>
  (await lab.run('sources', 'list', '--json')).json.value
    .filter((source: { enabled: boolean }) => source.enabled)
    .map((source: { agent: string }) => source.agent);

describe('sources', () => {
  it('enables with `all` what was found and nothing that may come later', async () => {
    expect((await lab.run('sources', 'enable', 'all')).code).toBe(0);
    expect(await enabled()).toEqual(['claude']);
    expect((await lab.run('sources', 'disable', 'all')).code).toBe(0);
    expect(await enabled()).toEqual([]);
  });

  it('says databases where sessions lie in them, each once, in the folder that is nearest', async () => {
    await loadFixture('hermes', 'simple-qa', lab.home);
    await mkdir(join(lab.home, '.hermes/profiles'));
    await cp(join(lab.home, '.hermes/state.db'), join(lab.home, '.hermes/profiles/work/state.db'), { recursive: true });
    const found = (await lab.run('sources', 'list', '--json')).json.value as SourceInfo[];
    expect(found.flatMap((one) => (one.agent === 'hermes' ? [[one.root, one.sessions, one.databases]] : []))).toEqual([
      [join(lab.home, '.hermes'), 1, 1],
      [join(lab.home, '.hermes/profiles/work'), 1, 1],
    ]);
    const text = (await lab.run('sources', 'list')).stdout;
    expect(text).toMatch(/claude +no +1 session /);
    expect(text.match(/hermes +no +1 database /g)).toHaveLength(2);
  });

  it('changes nothing when one of several agents is not known', async () => {
    expect(await lab.run('sources', 'enable', 'claude', 'clade', '--json')).toMatchObject({ json: { ok: false } });
    expect(await enabled()).toEqual([]);
  });
});
