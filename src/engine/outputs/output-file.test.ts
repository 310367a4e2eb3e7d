import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sha256Hex } from '../../core/hash.ts';
import { OutputFile } from './output-file.ts';

const disk = vi.hoisted(() => ({ links: true }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const link: typeof real.link = (from, to) =>
    disk.links ? real.link(from, to) : Promise.reject(Object.assign(new Error('no links here'), { code: 'EPERM' }));
  return { ...real, link };
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'output-file-'));
});
afterEach(() => rm(folder, { recursive: true }));

for (const links of [true, false])
  describe(links ? 'a file' : 'a file on a disk without links', () => {
    beforeEach(() => {
      disk.links = links;
    });

    it('is put in place whole, private, and says what it is', async () => {
      const path = join(folder, 'deep', 'a.html');
      const file = await OutputFile.create(path);
      const text = '中文😀'.repeat(200_000);
      for (let at = 0; at < text.length; at += 40_000) await file.write(text.slice(at, at + 40_000));
      expect(await readdir(join(folder, 'deep'))).not.toContain('a.html');
      expect(await file.place()).toBe(true);
      expect(await readFile(path, 'utf8')).toBe(text);
      expect(file).toMatchObject({ bytes: Buffer.byteLength(text), sha256: sha256Hex(text) });
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(await readdir(join(folder, 'deep'))).toEqual(['a.html']);
    });

    it('takes nobody’s place, and leaves nothing then', async () => {
      const path = join(folder, 'a.html');
      const file = await OutputFile.create(path);
      await file.write('ours');
      await writeFile(path, 'theirs');
      expect(await file.place()).toBe(false);
      expect(await readFile(path, 'utf8')).toBe('theirs');
      expect(await readdir(folder)).toEqual(['a.html']);
    });

    it('that is never named leaves nothing even while it is written', async () => {
      const file = await OutputFile.create(join(folder, 'pipe'), false);
      await file.write('one ');
      await file.write('two');
      expect(await readdir(folder)).toEqual([]);
      let read = '';
      for await (const bytes of file.read()) read += bytes.toString();
      expect(read).toBe('one two');
      await file.discard();
    });
  });
