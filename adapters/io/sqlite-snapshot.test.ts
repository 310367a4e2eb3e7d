import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../src/shared/errors.ts';
import { databaseStat, openSqliteSnapshot } from './sqlite-snapshot.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sessionctl-test-'));
  path = join(folder, 'state.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The agent's own connection, with a row that is in its log only. */
function agent(mode: 'WAL' | 'DELETE'): Database {
  const db = new Database(path);
  db.pragma(`journal_mode = ${mode}`);
  db.exec('CREATE TABLE word(text TEXT)');
  db.prepare('INSERT INTO word VALUES(?)').run('one');
  return db;
}

const words = (db: Database): string[] =>
  db
    .prepare<[], { text: string }>('SELECT text FROM word')
    .all()
    .map(({ text }) => text);

describe('a snapshot of an agent database', () => {
  it.each(['', '-wal', '-journal'])('does not wait for a pipe in place of the file%s', async (suffix) => {
    if (suffix !== '') agent('DELETE').close();
    execFileSync('mkfifo', [path + suffix]);
    const result = await openSqliteSnapshot(path);
    expect(result.ok ? '' : result.error.code).toBe('source_unreadable');
  });

  for (const mode of ['WAL', 'DELETE'] as const)
    it(`holds what was committed (${mode}), and leaves the agent's files and locks alone`, async () => {
      const db = agent(mode);
      const files = () =>
        readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]);
      const before = files();
      const { db: copy, close } = unwrap(await openSqliteSnapshot(path));
      expect(words(copy)).toEqual(['one']);
      expect(files()).toEqual(before);
      db.prepare('INSERT INTO word VALUES(?)').run('two');
      expect(words(copy)).toEqual(['one']);
      await close();
      db.close();
    });

  it('leaves out what a transaction under way has not committed', async () => {
    const db = agent('WAL');
    db.exec('BEGIN IMMEDIATE');
    db.prepare('INSERT INTO word VALUES(?)').run('not yet');
    const { db: copy, close } = unwrap(await openSqliteSnapshot(path));
    expect(words(copy)).toEqual(['one']);
    await close();
    db.exec('COMMIT');
    db.close();
  });

  it('is refused for what is no database, and for what is not there', async () => {
    writeFileSync(path, 'not a database, but long enough to be looked at as one '.repeat(40));
    expect(await openSqliteSnapshot(path)).toMatchObject({ ok: false, error: { code: 'not_a_session' } });
    expect(await openSqliteSnapshot(join(folder, 'none.db'))).toMatchObject({ error: { code: 'source_unreadable' } });
    mkdirSync(join(folder, 'folder.db'));
    expect(await openSqliteSnapshot(join(folder, 'folder.db'))).toMatchObject({ ok: false });
  });

  it('has a stamp that every commit changes', async () => {
    const db = agent('WAL');
    const before = await databaseStat(path);
    db.prepare('INSERT INTO word VALUES(?)').run('two');
    expect(await databaseStat(path)).not.toEqual(before);
    db.close();
    expect(await databaseStat(join(folder, 'none.db'))).toBeNull();
  });
});
