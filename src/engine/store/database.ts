import { createHmac } from 'node:crypto';
import { chmodSync, closeSync, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { AppFailure } from '../../shared/errors.ts';
import { migrations } from './migrations/all.ts';
import { storeError } from './store-errors.ts';

/** An open connection. */
export type Database = Sqlite;

/** Name of the store in its home. */
export const STORE_FILE = 'store.db';

/** How long SQLite waits for a lock while opening, and later; short then, since the thread stands still meanwhile. */
const OPEN_MS = 5000;
const LOCK_MS = 20;

const SALT_BYTES = 16;

/**
 * Opens the encrypted file of a home, makes it when missing, and brings it to the newest shape. Throws AppFailure:
 * key_wrong, store_corrupt, store_version_too_new, store_read_only, store_full, store_busy. Nothing is written before the
 * key and the version are known to be right.
 *
 * The file begins with 16 bytes that the cipher calls a salt. It has no use for them with a raw key, so they hold a check
 * value of the key: a wrong key and a damaged file look the same to SQLite, but not to us.
 */
export function openDatabase(home: string, key: Uint8Array): Database {
  const path = join(home, STORE_FILE);
  const salt = saltOf(key);
  let db: Database | undefined;
  try {
    if (!prepareFile(home, path, salt)) throw wrongKey();
    db = new Sqlite(path, { timeout: OPEN_MS, fileMustExist: true });
    db.pragma(`cipher='aegis'`);
    db.pragma(`key='raw:${Buffer.from(key).toString('hex')}${salt.toString('hex')}'`);
    const version = versionOf(db);
    if (version > migrations.length) throw tooNew(version);
    configure(db);
    if (version < migrations.length) migrate(db);
    db.pragma(`busy_timeout=${LOCK_MS}`);
    return db;
  } catch (thrown) {
    db?.close();
    throw new AppFailure(storeError(thrown));
  }
}

/** Whether the store of a home was made with this key; null when there is no store, or nothing in it yet. */
export function isStoreKey(home: string, key: Uint8Array): boolean | null {
  const path = join(home, STORE_FILE);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < SALT_BYTES) return null;
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(SALT_BYTES);
    readSync(file, head, 0, SALT_BYTES, 0);
    return head.equals(saltOf(key));
  } finally {
    closeSync(file);
  }
}

/** Check value of a key, with which its file begins. */
const saltOf = (key: Uint8Array): Buffer =>
  createHmac('sha256', key).update('sessionctl store').digest().subarray(0, SALT_BYTES);

/** Makes folder and file with tight permissions; false when the file was made with another key. */
function prepareFile(home: string, path: string, salt: Buffer): boolean {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  if ((statSync(home).mode & 0o077) !== 0) chmodSync(home, 0o700);
  const file = openSync(path, 'a+', 0o600);
  try {
    if (fstatSync(file).size === 0) return true;
    const head = Buffer.alloc(SALT_BYTES);
    readSync(file, head, 0, SALT_BYTES, 0);
    return head.equals(salt);
  } finally {
    closeSync(file);
  }
}

/**
 * As measured (docs/internals/store.md). A page is what an append writes at least, for each table it touches, so pages of
 * 16 KB are a compromise: larger ones pack small sessions no better, smaller ones cost an import more. The log is folded in
 * by an idle timer, not inside an append.
 */
function configure(db: Database): void {
  db.pragma('page_size=16384');
  db.pragma('journal_mode=WAL');
  db.pragma('synchronous=NORMAL');
  db.pragma('cache_size=-16000');
  db.pragma('wal_autocheckpoint=0');
  db.pragma('temp_store=MEMORY');
  db.pragma('mmap_size=0');
}

function migrate(db: Database): void {
  db.transaction(() => {
    for (let step = versionOf(db); step < migrations.length; step++) db.exec(migrations[step] as string);
    db.pragma(`user_version=${migrations.length}`);
  }).immediate();
}

export const versionOf = (db: Database): number => db.pragma('user_version', { simple: true }) as number;

const wrongKey = () =>
  new AppFailure({
    code: 'key_wrong',
    message:
      'This key does not open the store. Use the key (or recovery key) that the store was made with; nothing was changed.',
  });

const tooNew = (version: number) =>
  new AppFailure({
    code: 'store_version_too_new',
    message: `The store was written by a newer sessionctl (version ${version}, this one knows ${migrations.length}). Update sessionctl; nothing was changed.`,
    details: { version, known: migrations.length },
  });
