import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';

/** An agent that holds its database open and goes on writing to one session of it. */
export interface LiveDatabase {
  readonly agent: keyof typeof WRITERS;
  readonly path: string;
  readonly session: string;
  /** rows written so far */
  readonly written: number;
  /** Writes on and on, until `stop`. It waits for no lock: one that somebody else held is an error of `stop`. */
  start(): void;
  stop(): void;
  close(): void;
}

/** Between two writes: an agent that streams. */
const PAUSE_MS = 25;

const WRITERS = {
  hermes: (db: Database, session: string) => {
    const row = db.prepare("INSERT INTO messages(session_id, role, content, timestamp) VALUES(?, 'user', ?, ?)");
    return (text: string, n: number) => void row.run(session, text, 2_000_000_000 + n);
  },
  opencode: (db: Database, session: string) => {
    const message = db.prepare(
      `INSERT INTO message SELECT ?, session_id, time_created + ?, time_updated, data FROM message WHERE session_id = ?
       AND data LIKE '%"role":"user"%' ORDER BY id LIMIT 1`,
    );
    const part = db.prepare('INSERT INTO part VALUES(?, ?, ?, ?, ?, ?)');
    return (text: string, n: number) => {
      const id = String(n).padStart(8, '0');
      const data = JSON.stringify({ type: 'text', text });
      db.transaction(() => {
        message.run(`msg_zz${id}`, n, session);
        part.run(`prt_zz${id}`, `msg_zz${id}`, session, n, n, data);
      })();
    };
  },
};

const SESSIONS = { hermes: 'SELECT id FROM sessions LIMIT 1', opencode: 'SELECT id FROM session LIMIT 1' };

/** A copy of a database of a fixture, opened with a write-ahead log as its agent does; a first row stands in the log. */
export function liveDatabase(agent: keyof typeof WRITERS, from: string, path: string): LiveDatabase {
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(from, path);
  const db = new Database(path, { timeout: 0 });
  db.pragma('journal_mode = WAL');
  const { id: session } = db.prepare(SESSIONS[agent]).get() as { id: string };
  const write = WRITERS[agent](db, session);
  let written = 0;
  let next: NodeJS.Timeout | undefined;
  let failed: unknown = null;
  const once = (): void => write(`live ${written}`, written++);
  const again = (): void => {
    try {
      once();
      next = setTimeout(again, PAUSE_MS);
    } catch (thrown) {
      failed = thrown;
    }
  };
  once();
  return {
    agent,
    path,
    session,
    get written() {
      return written;
    },
    start: again,
    stop: () => {
      clearTimeout(next);
      if (failed !== null) throw failed;
    },
    close: () => db.close(),
  };
}
