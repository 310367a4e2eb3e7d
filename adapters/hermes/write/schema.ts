import type Database from 'better-sqlite3';
import { columnsOf, forgetColumns, quoted } from '../read/tables.ts';

/** Columns that later versions have, as Hermes declares them (schemas 6 to 30). */
const LATER: Record<'sessions' | 'messages', Record<string, string>> = {
  sessions: {
    session_key: 'TEXT',
    chat_id: 'TEXT',
    chat_type: 'TEXT',
    thread_id: 'TEXT',
    display_name: 'TEXT',
    origin_json: 'TEXT',
    git_repo_root: 'TEXT',
    billing_provider: 'TEXT',
    billing_base_url: 'TEXT',
    billing_mode: 'TEXT',
    estimated_cost_usd: 'REAL',
    actual_cost_usd: 'REAL',
    cost_status: 'TEXT',
    cost_source: 'TEXT',
    pricing_version: 'TEXT',
    profile_name: 'TEXT',
    rewind_count: 'INTEGER NOT NULL DEFAULT 0',
    archived: 'INTEGER NOT NULL DEFAULT 0',
    pinned: 'INTEGER NOT NULL DEFAULT 0',
    system_prompt_hash: 'TEXT',
    title_source: 'TEXT',
    hidden: 'INTEGER NOT NULL DEFAULT 0',
    created_source: 'TEXT',
    transport_profile: 'TEXT',
    tool_names: 'TEXT',
  },
  messages: {
    effect_disposition: 'TEXT',
    platform_message_id: 'TEXT',
    anthropic_content_blocks: 'TEXT',
    _compressed_summary: 'INTEGER NOT NULL DEFAULT 0',
    display_identity: 'BLOB',
    display_order: 'INTEGER',
  },
};

/**
 * Makes room for columns in a database that no Hermes has opened yet; it adds what else it needs itself. In any other
 * database the columns are what they are. Gives those that have no place.
 */
export function makeRoom(db: Database, table: 'sessions' | 'messages', names: Iterable<string>): string[] {
  const there = columnsOf(db, table);
  const missing = [...names].filter((name) => !there.has(name));
  if (missing.length === 0 || columnsOf(db, 'schema_version').size > 0) return missing;
  for (const name of missing)
    db.exec(`ALTER TABLE ${quoted(table)} ADD COLUMN ${quoted(name)} ${LATER[table][name] ?? ''}`);
  forgetColumns(db);
  return [];
}
