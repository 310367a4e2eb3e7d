import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { AgentEnv, NativeSource, SessionAdapter } from '../../../../adapters/contract.ts';
import { sessionPath } from '../../../../adapters/io/database-path.ts';
import { databaseStat, openSqliteSnapshot } from '../../../../adapters/io/sqlite-snapshot.ts';
import { fail, ok } from '../../../shared/errors.ts';

/** The database of the agent of tests: `<home>/.fake/sessions.db`, a table message(id, session, text). */
export const databaseOf = (env: Pick<AgentEnv, 'home'>): string => join(env.home, '.fake', 'sessions.db');

/** Opens it as the agent does, made when it is not there. */
export function agentDatabase(env: Pick<AgentEnv, 'home'>): Database {
  const db = new Database(databaseOf(env));
  db.pragma('journal_mode = WAL');
  db.exec('CREATE TABLE IF NOT EXISTS message(id INTEGER PRIMARY KEY, session TEXT, text TEXT)');
  return db;
}

export async function databaseSource(path: string): Promise<NativeSource[]> {
  const stat = existsSync(path) ? await databaseStat(path) : null;
  return stat === null ? [] : [{ agent: 'claude', path, database: true, native_id: 'sessions', ...stat }];
}

interface Row {
  id: number;
  session: string;
  text: string;
}

export const openDatabase: NonNullable<SessionAdapter['openDatabase']> = async (source, cursor, { only }) => {
  const opened = await openSqliteSnapshot(source.path);
  if (!opened.ok) return opened;
  const { db, close } = opened.value;
  const rows = db.prepare<[], Row>('SELECT * FROM message ORDER BY id').all();
  const sessions = Map.groupBy(rows, ({ session }) => session);
  const digests = Object.fromEntries([...sessions].map(([id, own]) => [id, JSON.stringify(own)]));
  const isWanted = (id: string) =>
    only === undefined ? cursor?.[id] !== digests[id] : only === sessionPath(source.path, id);
  const wanted = [...sessions.keys()].filter(isWanted);
  const sourceOf = (id: string): NativeSource => ({
    agent: 'claude',
    path: sessionPath(source.path, id),
    native_id: id,
    bytes: digests[id]?.length ?? 0,
    mtime_ms: source.mtime_ms,
  });
  return ok({
    changed: wanted.map(sourceOf),
    unchanged: sessions.size - wanted.length,
    cursor: digests,
    warnings: [],
    close,
    capture: async ({ native_id }, from, sink) => {
      const own = (sessions.get(native_id) ?? []).filter(({ id }) => id > Number(from?.last ?? 0));
      if (own.some(({ text }) => text === 'broken')) return fail('source_unreadable', 'A broken row.');
      const session = sink.session({ native_id });
      for (const { text } of own)
        session.event({
          ts: null,
          agent: 'claude',
          actor: 'user',
          type: 'message.user',
          level: 2,
          payload: { content: [{ kind: 'text', text }], via: 'prompt' },
          refs: [],
          parent_seq: session.next === 0 ? null : session.next - 1,
          origin: null,
        });
      await sink.drain();
      const counts = { records: own.length, mapped: own.length, unknown: {}, declared: {}, unreadable: 0 };
      return ok({ cursor: { last: own.at(-1)?.id ?? from?.last ?? 0 }, ...counts, redactions: {}, warnings: [] });
    },
  });
};
