import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { loadFixture } from '../../../fixtures/load.ts';
import type { AgentEnv, MaterializeOptions } from '../../contract.ts';
import type { Json } from '../json.ts';
import { sessionId } from '../write/ids.ts';
import { tempHome } from './native.ts';

export const AT = 1_795_960_000;
export const NATIVE_ID = sessionId('01a22791-bb90-77e3-8fe5-30ec722705d2', AT);

export interface TestHome {
  env: AgentEnv;
  data: string;
  database: string;
  project: string;
  dispose(): void;
  /** runs statements on the database, as the agent would */
  change(work: (db: Database) => void): void;
  rows(query: string, ...values: unknown[]): Json[];
}

/** A home with the database that OpenCode 1.18.33 made, with a fixture's sessions or with none, and a project folder. */
export async function databaseHome(fixture?: string): Promise<TestHome> {
  const home = tempHome();
  await loadFixture('opencode', fixture ?? '01-simple-qa', home.env.home);
  const database = join(home.data, 'opencode.db');
  const project = join(home.env.home, 'project');
  mkdirSync(project);
  const change = (work: (db: Database) => void): void => {
    const db = new Database(database);
    work(db);
    db.close();
  };
  if (fixture === undefined)
    change((db) => db.exec('DELETE FROM event; DELETE FROM event_sequence; DELETE FROM session'));
  return {
    ...home,
    database,
    project,
    change,
    rows: (query, ...values) => {
      const db = new Database(database, { readonly: true });
      const rows = db.prepare(query).all(...values) as Json[];
      db.close();
      return rows;
    },
  };
}

export function writeOptions(home: TestHome, more: Partial<MaterializeOptions> = {}): MaterializeOptions {
  return {
    env: home.env,
    nativeId: NATIVE_ID,
    title: 'A title',
    cwd: home.project,
    version: '1.18.33',
    at: AT,
    tokens: 1234,
    ...more,
  };
}
