import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Database } from './database.ts';

/** A lease is renewed this often, and is up for taking when it was not renewed for so long. */
export const RENEW_MS = 10_000;
const STALE_MS = 40_000;

interface LeaseRow {
  token: string;
  pid: number;
  started: string | null;
  heartbeat: number;
}

/** Named rights of one process, e.g. to watch. Writes run inside a transaction. */
export class Leases {
  private readonly select;
  private readonly put;
  private readonly touch;
  private readonly remove;

  constructor(db: Database) {
    this.select = db.prepare<[string], LeaseRow>('SELECT token, pid, started, heartbeat FROM lease WHERE name = ?');
    this.put = db.prepare('INSERT OR REPLACE INTO lease(name, token, pid, started, heartbeat) VALUES(?, ?, ?, ?, ?)');
    this.touch = db.prepare('UPDATE lease SET heartbeat = ? WHERE name = ? AND token = ?');
    this.remove = db.prepare('DELETE FROM lease WHERE name = ? AND token = ?');
  }

  /** Takes the lease, also from a holder that is dead; else tells who holds it. */
  take(name: string): { token: string } | { heldBy: number } {
    const holder = this.select.get(name);
    if (holder !== undefined && holds(holder)) return { heldBy: holder.pid };
    const token = randomUUID();
    this.put.run(name, token, process.pid, startOf(process.pid), Date.now());
    return { token };
  }

  /** False when the lease is no longer ours. */
  renew(name: string, token: string): boolean {
    return this.touch.run(Date.now(), name, token).changes === 1;
  }

  release(name: string, token: string): void {
    this.remove.run(name, token);
  }
}

/** A process that lives on holds its lease even when it slept; where that cannot be told, the heartbeat decides. */
function holds(lease: LeaseRow): boolean {
  if (lease.started !== null) {
    const boot = bootId();
    if (boot !== null) return startOf(lease.pid) === lease.started;
  }
  return isAlive(lease.pid) && Date.now() - lease.heartbeat < STALE_MS;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as { code?: string }).code === 'EPERM';
  }
}

/** Boot and start time of a process (Linux), so that a number used again is not taken for its old owner; else null. */
function startOf(pid: number): string | null {
  const boot = bootId();
  if (boot === null) return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // field 22, counted behind the name, which may hold spaces and brackets
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : `${boot}:${fields[19]}`;
  } catch {
    return null;
  }
}

function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}
