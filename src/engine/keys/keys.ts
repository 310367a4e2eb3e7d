import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { type Signer, signerOf } from '../../core/log/sign.ts';
import type { AppInfo } from '../../shared/api.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import { isStoreKey } from '../store/database.ts';
import { type HomeFile, homeFilePath, readHomeFile } from './home-file.ts';
import { unwrapKey, wrap } from './passphrase.ts';
import { createPrivate, replacePrivate } from './private-file.ts';
import {
  checkValueOf,
  isKeyOf,
  newRootKey,
  type RootKey,
  readRecoveryKey,
  recoveryKeyOf,
  redactionKeyOf,
  signingKeyOf,
  storeKeyOf,
} from './root-key.ts';
import type { SecretStore } from './secret-store.ts';

export type KeyState = AppInfo['keys'];

/** All keys of an open home. They stay in memory. */
export interface Keys {
  state: KeyState;
  store: Buffer;
  redaction: Buffer;
  signing: ReturnType<typeof signingKeyOf>;
  signer: Signer;
}

/** Where a new root key shall be kept. `auto`: the keychain, or an error that names the other two. */
export type KeyChoice =
  | { kind: 'auto' }
  | { kind: 'passphrase'; passphrase: string }
  | { kind: 'keyfile'; path?: string };

export interface KeyContext {
  home: string;
  keychain: SecretStore;
}

export const NO_KEYS: KeyState = { kind: 'none', weaker: false, text: 'Not initialised yet' };

/** What is said about a way to keep the key, in doctor and in the status bar. */
export function keyState(key: HomeFile['key']): KeyState {
  switch (key.kind) {
    case 'keychain':
      return { kind: 'keychain', weaker: false, text: "Key in the system's keychain" };
    case 'passphrase':
      return { kind: 'passphrase', weaker: true, text: 'Key locked by your passphrase: as strong as that' };
    case 'keyfile':
      return {
        kind: 'keyfile',
        weaker: true,
        text: `Key in the file ${key.path}: whoever can read it can read the store`,
      };
  }
}

/**
 * Makes the root key of a home and `home.json`. Idempotent: an initialised home is opened. The recovery key comes until
 * `recoveryShown` was called, since whoever made the home may have been killed before it could be read.
 * Errors: key_missing (no keychain: choose), key_locked, write failures.
 */
export async function initKeys(
  context: KeyContext,
  choice: KeyChoice,
): Promise<Result<{ state: KeyState; recoveryKey?: string }>> {
  const existing = await readHomeFile(context.home);
  if (!existing.ok) return existing;
  if (existing.value) return known(context, existing.value, choice);
  return create(context, choice, newRootKey(), createPrivate);
}

async function known(
  context: KeyContext,
  file: HomeFile,
  choice: KeyChoice,
): Promise<Result<{ state: KeyState; recoveryKey?: string }>> {
  const state = keyState(file.key);
  if (file.recovery === undefined) return ok({ state });
  const root = await fetchRoot(context, file, choice.kind === 'passphrase' ? choice.passphrase : undefined);
  return ok(root.ok && isKeyOf(root.value, file.check) ? { state, recoveryKey: recoveryKeyOf(root.value) } : { state });
}

/** Notes that the recovery key was handed to somebody: it never comes again. */
export async function recoveryShown(home: string): Promise<void> {
  const file = await readHomeFile(home);
  if (!file.ok || file.value?.recovery === undefined) return;
  const { recovery: _, ...rest } = file.value;
  await replacePrivate(homeFilePath(home), homeText(rest));
}

const homeText = (file: HomeFile): string => `${JSON.stringify(file, null, 2)}\n`;

/** Brings a home back by its recovery key and keeps the key in a new place. Errors: key_wrong and those of `initKeys`. */
export async function recoverKeys(
  context: KeyContext,
  choice: KeyChoice,
  recoveryKey: string,
): Promise<Result<{ state: KeyState }>> {
  const root = readRecoveryKey(recoveryKey);
  if (!root.ok) return root;
  const existing = await readHomeFile(context.home);
  if (existing.ok && existing.value && !isKeyOf(root.value, existing.value.check)) {
    return anotherStore(context.home);
  }
  // where home.json is gone, the store itself tells
  if (isStoreKey(context.home, storeKeyOf(root.value)) === false) return anotherStore(context.home);
  const replace = async (path: string, text: string): Promise<boolean> => {
    await replacePrivate(path, text);
    return true;
  };
  const restored = await create(context, choice, root.value, replace, true);
  return restored.ok ? ok({ state: restored.value.state }) : restored;
}

const anotherStore = (home: string) => fail('key_wrong', `This recovery key belongs to another store than ${home}.`);

async function create(
  context: KeyContext,
  choice: KeyChoice,
  root: RootKey,
  write: (path: string, text: string) => Promise<boolean>,
  recovering = false,
): Promise<Result<{ state: KeyState; recoveryKey?: string }>> {
  const id = `home-${randomBytes(8).toString('hex')}`;
  try {
    await mkdir(context.home, { recursive: true, mode: 0o700 });
    const kept = await keep(context, choice, root, id);
    if (!kept.ok) return kept;
    const file: HomeFile = {
      version: 1,
      id,
      created: new Date().toISOString(),
      check: checkValueOf(root),
      public_key: signerOf(signingKeyOf(root)).publicKey,
      ...(recovering ? {} : { recovery: 'unshown' as const }),
      key: kept.value,
    };
    const won = await write(homeFilePath(context.home), homeText(file));
    // another process was faster: its key is the one that counts
    if (!won) return initKeys(context, choice);
    return ok({ state: keyState(kept.value), recoveryKey: recoveryKeyOf(root) });
  } catch (error) {
    return fail('write_failed', `${context.home} cannot be written: ${(error as Error).message}.`);
  }
}

async function keep(
  context: KeyContext,
  choice: KeyChoice,
  root: RootKey,
  id: string,
): Promise<Result<HomeFile['key']>> {
  if (choice.kind === 'passphrase') return ok({ kind: 'passphrase', wrapped: await wrap(root, choice.passphrase) });
  if (choice.kind === 'keyfile') {
    // named after the home, so that a file of another home is never mistaken for this one's
    const path = choice.path === undefined ? `${id}.key` : resolve(choice.path);
    const written = await createPrivate(keyFilePath(context.home, path), `${root.toString('hex')}\n`);
    return written
      ? ok({ kind: 'keyfile', path })
      : fail('target_exists', `${path} exists already: choose another key file.`);
  }
  const secret = root.toString('hex');
  const set = await context.keychain.set(id, secret);
  const back = set.ok ? await context.keychain.get(id) : set;
  if (back.ok && back.value === secret) return ok({ kind: 'keychain' });
  const reason = back.ok ? 'it did not give back what was put in' : back.error.message;
  return fail(
    'key_missing',
    `No keychain can keep the key: ${reason} Choose a passphrase (\`sessionctl init --passphrase\`) or a key file (\`sessionctl init --key-file\`).`,
    { choose: true },
  );
}

const keyFilePath = (home: string, path: string): string => (isAbsolute(path) ? path : join(home, path));

/**
 * Opens the keys of an initialised home. Errors: store_uninitialised, key_missing (gone), key_locked (does not answer, or
 * a passphrase is needed), key_wrong.
 */
export async function openKeys(context: KeyContext, passphrase?: string): Promise<Result<Keys>> {
  const file = await readHomeFile(context.home);
  if (!file.ok) return file;
  if (!file.value) {
    return fail('store_uninitialised', `There is no store in ${context.home} yet. Make one: \`sessionctl init\`.`, {
      home: context.home,
    });
  }
  const root = await fetchRoot(context, file.value, passphrase);
  if (!root.ok) return root;
  if (!isKeyOf(root.value, file.value.check)) {
    return fail('key_wrong', `The key found is not the one of ${context.home}. ${RESTORE}`, {
      kind: file.value.key.kind,
    });
  }
  const signing = signingKeyOf(root.value);
  return ok({
    state: keyState(file.value.key),
    store: storeKeyOf(root.value),
    redaction: redactionKeyOf(root.value),
    signing,
    signer: signerOf(signing),
  });
}

const RESTORE =
  'Restore it with the recovery key shown at the start: `sessionctl init --recover`. The store is untouched.';

async function fetchRoot(context: KeyContext, file: HomeFile, passphrase?: string): Promise<Result<RootKey>> {
  const { key } = file;
  if (key.kind === 'passphrase') {
    if (passphrase !== undefined) return unwrapKey(key.wrapped, passphrase);
    return fail(
      'key_locked',
      'The store is locked by a passphrase: set SESSIONCTL_PASSPHRASE, or run this on a terminal.',
      {
        kind: 'passphrase',
      },
    );
  }
  const secret =
    key.kind === 'keychain' ? await fromKeychain(context, file.id) : await fromFile(context.home, key.path);
  if (!secret.ok) return secret;
  const hex = secret.value.trim();
  if (/^[0-9a-f]{64}$/.test(hex)) return ok(Buffer.from(hex, 'hex'));
  return fail(
    'key_wrong',
    `What the ${key.kind === 'keychain' ? 'keychain' : 'key file'} holds is not a key. ${RESTORE}`,
  );
}

async function fromKeychain(context: KeyContext, id: string): Promise<Result<string>> {
  const secret = await context.keychain.get(id);
  if (!secret.ok) return secret;
  if (secret.value !== null) return ok(secret.value);
  return fail('key_missing', `The system's keychain holds no key for ${context.home} (account ${id}). ${RESTORE}`, {
    account: id,
  });
}

async function fromFile(home: string, file: string): Promise<Result<string>> {
  const path = keyFilePath(home, file);
  try {
    return ok(await readFile(path, 'utf8'));
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'is gone' : `cannot be read: ${(error as Error).message}`;
    return fail('key_missing', `The key file ${path} ${why}. Put it back from a backup. ${RESTORE}`, { path });
  }
}
