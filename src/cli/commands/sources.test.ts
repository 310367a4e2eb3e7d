import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

  it('changes nothing when one of several agents is not known', async () => {
    expect(await lab.run('sources', 'enable', 'claude', 'clade', '--json')).toMatchObject({ json: { ok: false } });
    expect(await enabled()).toEqual([]);
  });
});
