import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ErrorCode, fail } from '../../shared/errors.ts';
import { type CliLab, cliLab } from '../testing.ts';

const refused = vi.hoisted(() => ({ code: null as ErrorCode | null }));
vi.mock('../scan.ts', async (original) => {
  const real = await original<typeof import('../scan.ts')>();
  return {
    ...real,
    scan: (...args: Parameters<typeof real.scan>) =>
      refused.code === null ? real.scan(...args) : Promise.resolve(fail(refused.code, 'Said why.')),
  };
});

let lab: CliLab;
beforeEach(async () => {
  refused.code = null;
  lab = await cliLab(['simple-qa']);
});
afterEach(() => lab.close());

describe('list', () => {
  it('shows what is known when nothing new can be stored, and says so', async () => {
    await lab.run('init', '--key-file');
    await lab.run('sources', 'enable', 'claude');
    await lab.run('import');
    for (const code of ['store_full', 'store_busy', 'store_read_only'] as const) {
      refused.code = code;
      const listed = await lab.run('list', '--json');
      expect([listed.code, listed.json.value.total]).toEqual([0, 1]);
      expect(listed.stderr).toContain('Nothing new was read: Said why.');
    }
    refused.code = 'store_corrupt';
    expect(await lab.run('list', '--json')).toMatchObject({ code: 4, json: { error: { code: 'store_corrupt' } } });
  });
});
