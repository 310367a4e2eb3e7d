import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportBundle } from '../../engine/bundle/export.ts';
import { seedSession, testStore } from '../../engine/bundle/testing.ts';
import { unwrap } from '../../shared/errors.ts';
import { type CliLab, cliLab } from '../testing.ts';

/** made up, and put together here */
const token = ['ghp', 'x7Kq2mV9sLr4Tz8Wb3Nd6Yc1Hf5Jg0PaQeRt'].join('_');
const random = ['xK9', 'mQ2', 'vR7', 'tY4', 'wZ8', 'nB3', 'cD6', 'fG1', 'hJ5', 'pL0'].join('');

let lab: CliLab;
beforeEach(async () => {
  lab = await cliLab();
  await lab.run('init', '--key-file');
});
afterEach(() => lab.close());

/** A session that came in by a bundle, with `text` in its prompts. */
async function bring(text: string): Promise<string> {
  const other = await testStore();
  try {
    const id = await seedSession(other.store, undefined, 2, text);
    const row = (await other.store.reader.session(id))!;
    unwrap(await exportBundle(other.store, row, join(lab.home, 'bundle'), { allowSecrets: true }));
    expect((await lab.run('import', '--path', 'bundle')).code).toBe(0);
    return id;
  } finally {
    await other.close();
  }
}

describe('redact', () => {
  it('ends with 1 where a secret stands in what is stored, and shows where, not which', async () => {
    const id = await bring(`use ${token} for`);
    const looked = await lab.run('redact', id);
    expect(looked).toMatchObject({ code: 1, stderr: '' });
    expect(looked.stdout).toMatch(/sess_a{8} +1 {2}definite {2}github-token {2}\/content\/0\/text/);
    expect(looked.stdout).toContain('1 session came in under older rules, or as a bundle.');
    expect(looked.stdout).toContain('✗ 2 secrets: exports and handoffs replace them on the way out');
    const value = (await lab.run('redact', '--json')).json.value;
    expect(value).toMatchObject({ definite: 2, candidates: 0, findings: [{ session: id, seq: 1 }, { seq: 5 }] });
    expect(looked.stdout + JSON.stringify(value)).not.toContain(token);
    // what it says of a bundle is so
    expect(await lab.run('export', id, '--bundle', '--out', 'out')).toMatchObject({ code: 1 });
  });

  it('ends with 0 where something only looks like one, and with 1 under --strict', async () => {
    await bring(`use ${random} for`);
    const looked = await lab.run('redact');
    expect(looked).toMatchObject({ code: 0 });
    expect(looked.stdout).toContain('! 2 texts may be secrets');
    expect(looked.stdout).not.toContain(random);
    expect((await lab.run('redact', '--strict')).code).toBe(1);
  });

  it('names a session that is not there', async () => {
    expect(await lab.run('redact', '00000000')).toMatchObject({ code: 1, stdout: '' });
  });
});
