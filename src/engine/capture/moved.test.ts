import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFixture } from '../../../fixtures/load.ts';
import { unwrap } from '../../shared/errors.ts';
import { type Lab, makeLab } from '../handoff/testing.ts';

/** Codex moves its sessions about: it packs, unpacks, archives and takes up again. Each stays the one it was. */

let lab: Lab;
let packed: string;
beforeEach(async () => {
  lab = await makeLab();
  await loadFixture('codex', 'w-compressed', lab.home);
  unwrap(await lab.engine.call('sources.set', { agent: 'codex', enabled: true }));
  const [name] = (await lab.files('.codex/sessions')).filter((file) => file.endsWith('.zst'));
  packed = join(lab.home, '.codex/sessions', name!);
  await importAll();
});
afterEach(() => lab.close());

const importAll = async () => unwrap(await lab.engine.local.import({ agent: 'codex' }));
const sessions = async () => unwrap(await lab.engine.call('sessions.list', { agent: 'codex' })).rows;
const one = async () => (await sessions()).find(({ native_id }) => packed.includes(native_id))!;
const line = (text: string): string =>
  `${JSON.stringify({
    timestamp: '2026-11-30T07:00:00.000Z',
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
  })}\n`;

async function unpack(): Promise<string> {
  const plain = packed.replace(/\.zst$/, '');
  await writeFile(plain, zstdDecompressSync(await readFile(packed)));
  await rm(packed);
  return plain;
}

async function archive(path: string): Promise<string> {
  const to = join(lab.home, '.codex/archived_sessions', path.slice(path.lastIndexOf('/') + 1));
  await mkdir(dirname(to), { recursive: true });
  await rename(path, to);
  return to;
}

describe('a session that its agent has moved', () => {
  it('goes on under its id when it is unpacked, with what is new alone', async () => {
    const [before, count] = [await one(), (await sessions()).length];
    const plain = await unpack();
    await appendFile(plain, line('One thing more'));
    const done = await importAll();
    expect(done.warnings).toEqual([]);
    const after = await one();
    expect(await sessions()).toHaveLength(count);
    expect(after).toMatchObject({ id: before.id, source: plain });
    expect(after.counts.user).toBe(before.counts.user + 1);
  });

  it('is read where it lies now before it is handed over or shown', async () => {
    const before = await one();
    await appendFile(await unpack(), line('One thing more'));
    expect(unwrap(await lab.engine.local.refresh(before.id))).toEqual([]);
    expect((await one()).counts.user).toBe(before.counts.user + 1);
  });

  it('is not read again, nor warned of, when nothing of it changed', async () => {
    const before = await one();
    const plain = await unpack();
    expect(await importAll()).toMatchObject({ events: 0, warnings: [] });
    await writeFile(packed, zstdCompressSync(await readFile(plain)));
    await rm(plain);
    expect(await importAll()).toMatchObject({ events: 0, warnings: [] });
    expect(await one()).toMatchObject({ id: before.id, source: packed, events: before.events });
  });

  it('is archived and taken up again', async () => {
    const before = await one();
    const plain = await unpack();
    const archived = await archive(plain);
    await importAll();
    const resting = unwrap(await lab.engine.call('sessions.get', { id: before.id }));
    expect(resting).toMatchObject({ source: archived, archived: true, events: before.events });
    await rename(archived, plain);
    await appendFile(plain, line('Back again'));
    await importAll();
    expect(await one()).toMatchObject({
      id: before.id,
      source: plain,
      archived: false,
      counts: { user: before.counts.user + 1 },
    });
    expect(unwrap(await lab.engine.call('verify.session', { id: before.id })).ok).toBe(true);
  });
});
