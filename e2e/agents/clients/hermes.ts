/**
 * Hermes, by the rules of its own reader (adapters/hermes/FORMAT.md): its Python code cannot be had from the registries, so
 * what it would send is read from its database here, by code that knows nothing of the adapter. Hermes joins neighbours of
 * one role when it sends them; that is left out, since it changes no fact.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { KnownSession, LabAgent, NativeSession, Resumed, Run } from '../contract.ts';
import type { Item } from '../facts.ts';
import { chatItems } from '../protocols/chat.ts';

export const hermes: LabAgent = {
  id: 'hermes',
  folder: '.hermes',
  recordedRoot: '/home/dev/hms',
  limits: { textFirst: true, joinsTexts: '\n' },
  isByRules: true,
  sessions,
  configure: async () => {},
  resume,
  items: (body) => chatItems(body).map(withoutMark).flatMap(memoryApart),
};

const databaseOf = (home: string): string => join(home, '.hermes', 'state.db');

interface Row {
  role: string;
  content: Buffer | null;
  api_content: string | null;
  tool_calls: string | null;
  tool_call_id: string | null;
}

/** Live rows in the order of their ids, as messages of the API. */
async function resume({ lab }: Run, session: NativeSession): Promise<Resumed> {
  const db = new Database(databaseOf(lab.home));
  try {
    const columns = columnsOf(db, 'messages');
    const api = columns.has('api_content') ? 'api_content' : 'NULL AS api_content';
    const live = columns.has('active') ? 'AND active IS NOT 0' : '';
    const rows = db
      .prepare<[string], Row>(
        `SELECT role, CAST(content AS BLOB) AS content, ${api}, tool_calls, tool_call_id FROM messages
         WHERE session_id = ? AND role NOT IN ('system', 'session_meta') ${live} ORDER BY id`,
      )
      .all(session.id);
    if (rows.length === 0) return { ok: false, reason: 'the session has no messages' };
    return { ok: true, body: { messages: rows.map(messageOf) } };
  } finally {
    db.close();
  }
}

function messageOf({ role, content, api_content, tool_calls, tool_call_id }: Row): object {
  return {
    role,
    content: api_content ?? contentOf(content?.toString('utf8') ?? ''),
    ...(tool_calls !== null && { tool_calls: JSON.parse(tool_calls) as unknown }),
    ...(tool_call_id !== null && { tool_call_id }),
  };
}

const JSON_MARK = '\0json:';

function contentOf(text: string): unknown {
  if (text.startsWith(JSON_MARK)) return JSON.parse(text.slice(JSON_MARK.length)) as unknown;
  return text.replace(/<memory-context>[\s\S]*?<\/memory-context>/g, '');
}

/** Hermes tells its summaries by these words. */
function withoutMark(item: Item): Item {
  return item.kind === 'text' ? { ...item, text: item.text.replace(/^\[CONTEXT SUMMARY\]:\s*/, '') } : item;
}

const MEMORY = /(<memory-context>[\s\S]*?<\/memory-context>)/;

/** What Hermes recalls and sends with a prompt is its harness speaking, not the person. */
function memoryApart(item: Item): Item[] {
  if (item.kind !== 'text' || item.role !== 'user') return [item];
  const pieces = item.text.split(MEMORY).filter((text) => text.trim() !== '');
  return pieces.map((text): Item => (MEMORY.test(text) ? { kind: 'harness', text } : { ...item, text }));
}

function columnsOf(db: Database, table: string): Set<string> {
  const rows = db.prepare<[], { name: string }>(`PRAGMA table_info(${table})`).all();
  return new Set(rows.map(({ name }) => name));
}

/** Sessions with messages; those of sub-agents and the earlier parts of a compressed one are none of their own. */
async function sessions(home: string): Promise<KnownSession[]> {
  if (!(await readdir(join(home, '.hermes'))).includes('state.db')) return [];
  const db = new Database(databaseOf(home));
  try {
    const columns = columnsOf(db, 'sessions');
    const cwd = columns.has('cwd') ? 'cwd' : 'NULL AS cwd';
    const rows = db.prepare<[], { id: string; cwd: string | null }>(
      `SELECT id, ${cwd} FROM sessions s WHERE EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id) ORDER BY started_at, id`,
    );
    return rows.all().map((row) => ({ id: row.id, folders: row.cwd === null ? [] : [row.cwd] }));
  } finally {
    db.close();
  }
}
