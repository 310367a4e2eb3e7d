import { chmodSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../shared/errors.ts';
import { openStore } from './client.ts';
import { openDatabase, STORE_FILE } from './database.ts';
import { migrations } from './migrations/all.ts';
import { addSession, chatDrafts, sessionId, TEST_KEY, testSigningKey } from './testing/temp-store.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sessionctl-open-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const open = (key = TEST_KEY) => openStore({ home, key, signingKey: testSigningKey() });
const A = sessionId(1);
const file = () => join(home, STORE_FILE);

async function makeStore(): Promise<Buffer> {
  const store = unwrap(await open());
  await addSession(store, A, chatDrafts(600));
  await store.close();
  return readFileSync(file());
}

async function expectRefused(code: string, key = TEST_KEY): Promise<void> {
  const before = readFileSync(file());
  const result = await open(key);
  expect(result).toMatchObject({ ok: false, error: { code } });
  expect(readFileSync(file()).equals(before)).toBe(true);
}

describe('opening a store', () => {
  it('is refused with another key, and nothing is changed', async () => {
    await makeStore();
    await expectRefused('key_wrong', new Uint8Array(32).fill(8));
    const store = unwrap(await open());
    expect(await store.reader.stats()).toMatchObject({ sessions: 1, events: 600 });
    await store.close();
  });

  it('is refused when a newer sessionctl wrote it, and nothing is changed', async () => {
    await makeStore();
    const db = openDatabase(home, TEST_KEY);
    db.pragma(`user_version=${migrations.length + 1}`);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    await expectRefused('store_version_too_new');
  });

  it('is refused when the file is damaged or is something else', async () => {
    const bytes = await makeStore();
    bytes.fill(0x55, 100, 9000);
    writeFileSync(file(), bytes);
    await expectRefused('store_corrupt');
    writeFileSync(file(), 'This is no store, but somebody called it so.');
    await expectRefused('key_wrong');
  });

  it('finds damage deep in the file when it gets there', async () => {
    const bytes = await makeStore();
    bytes.fill(0x55, 64 << 10);
    writeFileSync(file(), bytes);
    // which page lies there decides whether opening or the first read meets the damage
    const opened = await open();
    if (!opened.ok) return expect(opened.error.code).toBe('store_corrupt');
    await expect(opened.value.reader.index(A)).rejects.toMatchObject({ error: { code: 'store_corrupt' } });
    await opened.value.close();
  });

  it('says so when the home cannot be a folder', async () => {
    writeFileSync(join(home, 'taken'), '');
    const result = await openStore({ home: join(home, 'taken'), key: TEST_KEY, signingKey: testSigningKey() });
    expect(result).toMatchObject({ ok: false, error: { code: 'store_read_only' } });
  });

  it('brings an empty file to the newest shape, one step after the other', async () => {
    writeFileSync(file(), '');
    chmodSync(file(), 0o600);
    const store = unwrap(await open());
    expect(await store.reader.stats()).toMatchObject({ sessions: 0 });
    await store.close();
    const db = openDatabase(home, TEST_KEY);
    expect(db.pragma('user_version', { simple: true })).toBe(migrations.length);
    expect(db.pragma('page_size', { simple: true })).toBe(16384);
    db.close();
  });
});

describe('the bytes on disk', () => {
  it('hold no content in clear text, in any file, while open and when closed', async () => {
    const secret = ['Schluessel', 'wort', 'im', 'Gespraech'].join('-');
    const store = unwrap(await open());
    const drafts = chatDrafts(700).map((draft) => ({ ...draft, payload: { ...draft.payload, note: secret } }));
    await addSession(store, A, drafts, 'native-name');
    unwrap(
      await store.writer.decide({
        artifacts: [{ bytes: Buffer.from(secret.repeat(50)), media_type: 'text/plain' }],
        settings: { secret },
      }),
    );
    const clear = () =>
      readdirSync(home).filter((name) => {
        const bytes = readFileSync(join(home, name));
        return [secret, 'native-name', 'message.user', 'SQLite format', 'CREATE TABLE'].some((word) =>
          bytes.includes(word),
        );
      });
    expect(readdirSync(home)).toContain('store.db-wal');
    expect(clear()).toEqual([]);
    await store.close();
    expect(readdirSync(home)).toEqual(['store.db']);
    expect(clear()).toEqual([]);
  });
});

describe('a backup', () => {
  it('is an encrypted store of its own with the same content, and overwrites nothing', async () => {
    const store = unwrap(await open());
    await addSession(store, A, chatDrafts(600));
    const path = join(home, 'backup.db');
    expect(unwrap(await store.backup(path)).bytes).toBeGreaterThan(0);
    expect(await store.backup(path)).toMatchObject({ ok: false, error: { code: 'target_exists' } });
    await store.close();
    const other = mkdtempSync(join(tmpdir(), 'sessionctl-open-'));
    copyFileSync(path, join(other, STORE_FILE));
    const copy = unwrap(await openStore({ home: other, key: TEST_KEY, signingKey: testSigningKey() }));
    expect(await copy.reader.verify(A)).toMatchObject({ ok: true, events: 600 });
    await copy.close();
    rmSync(other, { recursive: true });
  });
});
