import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Receipt } from '../../shared/handoff.ts';
import type { StoreReader } from '../store/contract.ts';
import { checkReceipt } from './receipt.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'receipt-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** What is said of a file that a receipt names. */
async function said(path: string, text: string): Promise<{ ok: boolean; text: string } | undefined> {
  const sha256 = createHash('sha256').update(text).digest('hex');
  const receipt = { position: 0, subjects: [{ name: 'file', path, sha256, bytes: text.length }] };
  const { checks } = await checkReceipt({} as StoreReader, receipt as unknown as Receipt, '');
  return checks.find(({ id }) => id === 'subject:file');
}

describe('a session that a receipt names in a database', () => {
  for (const [found, ok, text] of [
    ['same', true, 'as it was written'],
    ['other', true, 'has changed since'],
    ['absent', true, 'no longer there'],
    [null, false, 'cannot be read'],
  ] as const)
    it(`is ${found ?? 'not to be told'}: ${text}`, async () => {
      const subjects = [{ name: 'file', path: '/home/dev/state.db#one', sha256: 'x' }];
      const receipt = { position: 0, subjects } as unknown as Receipt;
      const { checks } = await checkReceipt({} as StoreReader, receipt, '', async () => found);
      expect(checks.find(({ id }) => id === 'subject:file')).toMatchObject({ ok, text: expect.stringContaining(text) });
    });
});

describe('a file that a receipt names', () => {
  it('is as it was written, has grown, was changed or cut, or is gone', async () => {
    const path = join(folder, 'session.jsonl');
    await writeFile(path, 'one\n');
    expect(await said(path, 'one\n')).toEqual({
      id: 'subject:file',
      ok: true,
      text: `${path} is as it was written`,
    });
    await appendFile(path, 'two\n');
    expect(await said(path, 'one\n')).toMatchObject({ ok: true, text: expect.stringContaining('has grown since') });
    expect(await said(path, 'six\n')).toMatchObject({ ok: false, text: `${path} was changed since` });
    expect(await said(path, 'one\ntwo\nsix\n')).toMatchObject({ ok: false, text: `${path} was changed since` });
    await rm(path);
    expect(await said(path, 'one\n')).toMatchObject({ ok: true, text: `${path} is no longer there` });
  });

  it('that cannot be read is not called gone', async () => {
    expect(await said(folder, 'one\n')).toMatchObject({ ok: false, text: expect.stringContaining('cannot be read') });
  });
});
