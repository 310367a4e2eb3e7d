import type { SourceState } from './contract.ts';
import type { Database } from './database.ts';

interface SourceRow extends Omit<SourceState, 'cursor' | 'sessions'> {
  cursor: string | null;
  sessions: string;
}

/** Size and time of a source at its last capture: enough to tell whether it must be opened again. */
export interface SourceStamp {
  path: string;
  size: number;
  mtime_ms: number;
}

/** Native sources as the store knows them, and which agents' sources may be looked at. */
export class Sources {
  private readonly all;
  private readonly one;
  private readonly stampsOf;
  private readonly put;
  private readonly rename;
  private readonly enabledAgents;
  private readonly enable;
  private readonly disable;

  constructor(db: Database) {
    this.all = db.prepare<[string | null, string | null], SourceRow>(
      'SELECT * FROM source WHERE ? IS NULL OR agent = ? ORDER BY path',
    );
    this.one = db.prepare<[string], SourceRow>('SELECT * FROM source WHERE path = ?');
    this.stampsOf = db.prepare<[string], SourceStamp>('SELECT path, size, mtime_ms FROM source WHERE agent = ?');
    this.put = db.prepare(
      `INSERT OR REPLACE INTO source(path, agent, size, mtime_ms, cursor, sessions, version)
       VALUES(@path, @agent, @size, @mtime_ms, @cursor, @sessions, @version)`,
    );
    this.rename = db.prepare('UPDATE OR REPLACE source SET path = ? WHERE path = ?');
    this.enabledAgents = db.prepare<[], string>('SELECT agent FROM enabled ORDER BY agent').pluck();
    this.enable = db.prepare('INSERT OR IGNORE INTO enabled(agent) VALUES(?)');
    this.disable = db.prepare('DELETE FROM enabled WHERE agent = ?');
  }

  states(agent?: string): SourceState[] {
    return this.all.all(agent ?? null, agent ?? null).map(stateOf);
  }

  state(path: string): SourceState | null {
    const row = this.one.get(path);
    return row === undefined ? null : stateOf(row);
  }

  stamps(agent: string): SourceStamp[] {
    return this.stampsOf.all(agent);
  }

  /** Inside a transaction. */
  save(state: SourceState): void {
    this.put.run({
      ...state,
      cursor: JSON.stringify(state.cursor),
      sessions: JSON.stringify(state.sessions),
    });
  }

  /** Inside a transaction. */
  move(from: string, to: string): void {
    this.rename.run(to, from);
  }

  enabled(): string[] {
    return this.enabledAgents.all();
  }

  /** Inside a transaction. */
  setEnabled(agent: string, enabled: boolean): void {
    (enabled ? this.enable : this.disable).run(agent);
  }
}

function stateOf(row: SourceRow): SourceState {
  return {
    ...row,
    cursor: JSON.parse(row.cursor ?? 'null') as SourceState['cursor'],
    sessions: JSON.parse(row.sessions) as string[],
  };
}
