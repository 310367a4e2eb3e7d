/**
 * Hermes, by the rules of its own reader: its Python code cannot be had from the registries, so what it would send is read
 * from its database by code of the tests that knows nothing of the adapter (adapters/hermes/testing/oracle.ts).
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type Said, sentByHermes } from '../../../adapters/hermes/testing/oracle.ts';
import type { KnownSession, LabAgent, NativeSession, Resumed, Run } from '../contract.ts';
import type { Item } from '../facts.ts';
import { assistantText, userText } from '../marks.ts';

export const hermes: LabAgent = {
  id: 'hermes',
  folder: '.hermes',
  recordedRoot: '/home/dev/hms',
  isByRules: true,
  sessions,
  configure: async () => {},
  resume,
  items: saidItems,
};

const databaseOf = (home: string): string => join(home, '.hermes', 'state.db');

async function resume({ lab }: Run, session: NativeSession): Promise<Resumed> {
  const said = sentByHermes(databaseOf(lab.home), session.id);
  return said.length > 0 ? { ok: true, body: said } : { ok: false, reason: 'the session has no messages' };
}

function saidItems(body: unknown): Item[] {
  return (body as Said[]).flatMap(({ role, text, calls, answers }): Item[] => {
    if (role === 'tool') return [{ kind: 'result', id: String(answers), text, images: [], error: false }];
    const own = calls.map(({ id, name, arguments: args }): Item => ({ kind: 'call', id, name, args }));
    return [...(role === 'assistant' ? assistantText(text) : userText(text)), ...own];
  });
}

/** Sessions with messages; those of sub-agents and the earlier parts of a compressed one are none of their own. */
async function sessions(home: string): Promise<KnownSession[]> {
  if (!(await readdir(join(home, '.hermes'))).includes('state.db')) return [];
  const db = new Database(databaseOf(home));
  try {
    const columns = new Set(
      db
        .prepare<[], { name: string }>('PRAGMA table_info(sessions)')
        .all()
        .map(({ name }) => name),
    );
    const cwd = columns.has('cwd') ? 'cwd' : 'NULL AS cwd';
    const rows = db.prepare<[], { id: string; cwd: string | null }>(
      `SELECT id, ${cwd} FROM sessions s WHERE EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id) ORDER BY started_at, id`,
    );
    return rows.all().map((row) => ({ id: row.id, folders: row.cwd === null ? [] : [row.cwd] }));
  } finally {
    db.close();
  }
}
