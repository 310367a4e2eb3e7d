import { mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fail, ok } from '../../shared/errors.ts';
import { openDatabase } from '../store/database.ts';
import { homeFilePath, storePath } from './home-file.ts';
import { initKeys, openKeys, recoverKeys, recoveryShown } from './keys.ts';
import type { SecretStore } from './secret-store.ts';

const silent: SecretStore = {
  get: async () => fail('key_locked', 'It does not answer.'),
  set: async () => fail('key_locked', 'It does not answer.'),
};

function memory(): SecretStore & { secrets: Map<string, string> } {
  const secrets = new Map<string, string>();
  return {
    secrets,
    get: async (account) => ok(secrets.get(account) ?? null),
    set: async (account, secret) => {
      secrets.set(account, secret);
      return ok(undefined);
    },
  };
}

let home: string;
beforeEach(async () => {
  home = join(await mkdtemp(join(tmpdir(), 'engine-keys-')), 'home');
});
afterEach(() => rm(join(home, '..'), { recursive: true, force: true }));

describe('initKeys', () => {
  it('keeps the key in the keychain when one answers and shows the recovery key once', async () => {
    const keychain = memory();
    const first = await initKeys({ home, keychain }, { kind: 'auto' });
    expect(first).toMatchObject({ ok: true, value: { state: { kind: 'keychain', weaker: false } } });
    expect(first.ok && first.value.recoveryKey).toBeTruthy();
    await recoveryShown(home);
    const second = await initKeys({ home, keychain }, { kind: 'auto' });
    expect(second).toMatchObject({ ok: true, value: { state: { kind: 'keychain' } } });
    expect(second.ok && second.value.recoveryKey).toBeUndefined();
    expect((await openKeys({ home, keychain })).ok).toBe(true);
    const text = await readFile(homeFilePath(home), 'utf8');
    for (const secret of keychain.secrets.values()) expect(text).not.toContain(secret);
  });

  it('gives the recovery key again to whoever repeats an init that died before it could show it', async () => {
    for (const choice of [{ kind: 'keyfile' }, { kind: 'passphrase', passphrase: 'a long passphrase' }] as const) {
      const context = { home: join(home, choice.kind), keychain: silent };
      const first = await initKeys(context, choice);
      expect(await initKeys(context, choice)).toEqual(first);
      expect(first.ok && first.value.recoveryKey).toBeTruthy();
      await recoveryShown(context.home);
      const { state } = first.ok ? first.value : {};
      expect(await initKeys(context, choice)).toEqual({ ok: true, value: { state } });
      expect((await openKeys(context, 'a long passphrase')).ok).toBe(true);
    }
  });

  it('makes nothing and names the choices when no keychain answers', async () => {
    const result = await initKeys({ home, keychain: silent }, { kind: 'auto' });
    expect(result).toMatchObject({ ok: false, error: { code: 'key_missing' } });
    expect(await readdir(home)).toEqual([]);
  });

  it('writes a key file for its owner alone', async () => {
    const result = await initKeys({ home, keychain: silent }, { kind: 'keyfile' });
    expect(result).toMatchObject({ ok: true, value: { state: { kind: 'keyfile', weaker: true } } });
    for (const name of await readdir(home)) expect((await stat(join(home, name))).mode & 0o777).toBe(0o600);
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    expect((await openKeys({ home, keychain: silent })).ok).toBe(true);
  });

  it('gives two homes on one machine keys of their own', async () => {
    const keychain = memory();
    const other = `${home}-2`;
    await initKeys({ home, keychain }, { kind: 'auto' });
    await initKeys({ home: other, keychain }, { kind: 'auto' });
    const keys = [await openKeys({ home, keychain }), await openKeys({ home: other, keychain })];
    expect(keychain.secrets.size).toBe(2);
    expect(new Set(keys.map((key) => key.ok && key.value.signer.keyId)).size).toBe(2);
  });

  it('lets one of two simultaneous runs win', async () => {
    const runs = await Promise.all([1, 2].map(() => initKeys({ home, keychain: silent }, { kind: 'keyfile' })));
    // both tell the key of the one that won
    expect(new Set(runs.map((run) => run.ok && run.value.recoveryKey)).size).toBe(1);
    expect((await openKeys({ home, keychain: silent })).ok).toBe(true);
  });
});

describe('openKeys', () => {
  it('asks for a passphrase, refuses a wrong one and takes the right one', async () => {
    await initKeys({ home, keychain: silent }, { kind: 'passphrase', passphrase: 'correct horse' });
    expect(await openKeys({ home, keychain: silent })).toMatchObject({ ok: false, error: { code: 'key_locked' } });
    expect(await openKeys({ home, keychain: silent }, 'wrong horse')).toMatchObject({
      ok: false,
      error: { code: 'key_wrong' },
    });
    expect((await openKeys({ home, keychain: silent }, 'correct horse')).ok).toBe(true);
  });

  it('says that a home was never initialised', async () => {
    expect(await openKeys({ home, keychain: silent })).toMatchObject({
      ok: false,
      error: { code: 'store_uninitialised' },
    });
  });

  it('tells a lost key from an empty store', async () => {
    const keychain = memory();
    await initKeys({ home, keychain }, { kind: 'auto' });
    await writeFile(storePath(home), 'x');
    expect(await openKeys({ home, keychain: memory() })).toMatchObject({ ok: false, error: { code: 'key_missing' } });
    expect(await openKeys({ home, keychain: silent })).toMatchObject({ ok: false, error: { code: 'key_locked' } });
    for (const account of keychain.secrets.keys()) keychain.secrets.set(account, '00'.repeat(32));
    expect(await openKeys({ home, keychain })).toMatchObject({ ok: false, error: { code: 'key_wrong' } });
    await unlink(homeFilePath(home));
    expect(await openKeys({ home, keychain })).toMatchObject({ ok: false, error: { code: 'key_missing' } });
    expect(await initKeys({ home, keychain }, { kind: 'auto' })).toMatchObject({
      ok: false,
      error: { code: 'key_missing' },
    });
  });

  it('refuses a damaged or newer home file', async () => {
    await initKeys({ home, keychain: silent }, { kind: 'keyfile' });
    await writeFile(homeFilePath(home), '{"version": 2}');
    expect(await openKeys({ home, keychain: silent })).toMatchObject({ error: { code: 'store_version_too_new' } });
    await writeFile(homeFilePath(home), '{"version": 1');
    expect(await openKeys({ home, keychain: silent })).toMatchObject({ error: { code: 'store_corrupt' } });
  });
});

describe('recoverKeys', () => {
  it('brings the same keys back after the keychain lost them and home.json is gone', async () => {
    const keychain = memory();
    const made = await initKeys({ home, keychain }, { kind: 'auto' });
    const before = await openKeys({ home, keychain });
    await unlink(homeFilePath(home));
    const recoveryKey = (made.ok && made.value.recoveryKey) as string;
    const restored = await recoverKeys({ home, keychain: silent }, { kind: 'keyfile' }, recoveryKey);
    expect(restored).toMatchObject({ ok: true, value: { state: { kind: 'keyfile' } } });
    expect(restored).not.toHaveProperty('value.recoveryKey');
    const after = await openKeys({ home, keychain: silent });
    expect(after.ok && before.ok && after.value.store.equals(before.value.store)).toBe(true);
    expect(after.ok && before.ok && after.value.signer.keyId === before.value.signer.keyId).toBe(true);
  });

  it('refuses the recovery key of another home', async () => {
    const keychain = memory();
    const other = await initKeys({ home: `${home}-2`, keychain }, { kind: 'auto' });
    await initKeys({ home, keychain }, { kind: 'auto' });
    const recoveryKey = (other.ok && other.value.recoveryKey) as string;
    expect(await recoverKeys({ home, keychain }, { kind: 'auto' }, recoveryKey)).toMatchObject({
      error: { code: 'key_wrong' },
    });
    expect((await openKeys({ home, keychain })).ok).toBe(true);
  });

  it('refuses it also where home.json is gone and only the store can tell', async () => {
    const keychain = memory();
    const other = await initKeys({ home: `${home}-2`, keychain }, { kind: 'auto' });
    const own = await initKeys({ home, keychain }, { kind: 'auto' });
    const keys = await openKeys({ home, keychain });
    if (!keys.ok) throw new Error('no keys');
    openDatabase(home, keys.value.store).close();
    await unlink(homeFilePath(home));
    const wrong = (other.ok && other.value.recoveryKey) as string;
    expect(await recoverKeys({ home, keychain }, { kind: 'auto' }, wrong)).toMatchObject({
      error: { code: 'key_wrong' },
    });
    const right = (own.ok && own.value.recoveryKey) as string;
    expect((await recoverKeys({ home, keychain }, { kind: 'auto' }, right)).ok).toBe(true);
  });
});
