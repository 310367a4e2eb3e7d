import type { KeyObject } from 'node:crypto';
import { closeSync, openSync, statSync } from 'node:fs';
import { type Signer, signerOf } from '../../core/log/sign.ts';
import type { SummaryState } from '../../core/view/summary-state.ts';
import type { Parsed } from '../../shared/api.ts';
import { AppFailure } from '../../shared/errors.ts';
import type { Decision, SourceState } from './contract.ts';
import { type Database, openDatabase } from './database.ts';
import { decide } from './decide.ts';
import type { EventChunk } from './event-chunk.ts';
import { Inheritance, inherited } from './inheritance.ts';
import { Intake } from './intake.ts';
import type { CaptureStart } from './intake-protocol.ts';
import { KnownProjectors } from './known-projectors.ts';
import { Leases } from './leases.ts';
import type { LogHead } from './log-head.ts';
import { LogReader } from './log-reader.ts';
import { LogWriter } from './log-writer.ts';
import { Maintenance } from './maintenance.ts';
import { Artifacts, Records } from './records.ts';
import { Moved, type Port } from './rpc.ts';
import { unpackSummary } from './session-row.ts';
import { SessionWriter } from './session-writer.ts';
import { SessionReader } from './sessions.ts';
import { Sources } from './sources.ts';
import { storeError } from './store-errors.ts';
import { unknownRecords } from './unknown.ts';
import { WholeLogs } from './whole-logs.ts';
import { Writes } from './writes.ts';

export interface StoreServiceOptions {
  home: string;
  key: Uint8Array;
  signingKey: KeyObject;
  busyMs: number;
}

/** The store in its own thread, as tables of methods: for the client, and for capture workers. */
export class StoreService {
  private readonly db: Database;
  private readonly rows: SessionReader;
  private readonly logs: LogReader;
  private readonly whole: WholeLogs;
  private readonly sources: Sources;
  private readonly records: Records;
  private readonly artifacts: Artifacts;
  private readonly leases: Leases;
  private readonly writes: Writes;
  private readonly sessions: SessionWriter;
  private readonly log: LogWriter;
  private readonly maintenance: Maintenance;
  private readonly signer: Signer;

  constructor({ home, key, signingKey, busyMs }: StoreServiceOptions) {
    const db = openDatabase(home, key);
    this.db = db;
    this.rows = new SessionReader(db);
    this.logs = new LogReader(db);
    this.whole = new WholeLogs(this.logs);
    this.sources = new Sources(db);
    this.records = new Records(db);
    this.artifacts = new Artifacts(db);
    this.leases = new Leases(db);
    this.sessions = new SessionWriter(db);
    this.log = new LogWriter(db);
    this.writes = new Writes(db, busyMs);
    this.maintenance = new Maintenance(db, this.writes, this.log);
    this.signer = signerOf(signingKey);
  }

  /** What the client can ask for. */
  clientMethods() {
    return { ...this.readMethods(), ...this.writeMethods() };
  }

  /** What a capture worker can ask for; its captures come in beside these calls. */
  captureMethods(port: Port) {
    const intake = new Intake(
      { ...this.parts(), artifacts: this.artifacts, sources: this.sources, writes: this.writes },
      port,
    );
    return {
      ...this.readMethods(),
      ...this.leaseMethods(),
      begin: (path: string): CaptureStart => this.begin(path),
      moved: (uid: string, path: string) => this.moved(uid, path),
      stamps: (agent: string) => this.sources.stamps(agent),
      flush: () => intake.flush(),
    };
  }

  private parts() {
    const appended = (id: number) => this.maintenance.appended(id);
    return { log: this.log, sessions: this.sessions, appended };
  }

  private readMethods() {
    const { rows, sources, records, artifacts } = this;
    return {
      stats: () => ({ ...rows.stats(), bytes: this.bytes() }),
      sessions: (query: Parsed<'sessions.list'>) => rows.list(query),
      session: (id: string) => rows.get(id),
      find: (handle: string) => rows.find(handle),
      lineage: (id: string) => rows.lineage(id),
      index: (id: string) => {
        const index = this.whole.index(this.logOf(id));
        return new Moved(index, [
          index.ts.buffer,
          index.type.buffer,
          index.flags.buffer,
          index.parent.buffer,
        ] as ArrayBuffer[]);
      },
      events: (id: string, from: number, limit: number) => moved(this.chunks(id, from, limit)),
      eventsAt: (id: string, seqs: readonly number[]) => moved(this.single(id, seqs)),
      chunk: (id: string, from: number) => moved(this.chunks(id, from, 1, true)),
      ownChunk: (id: string, from: number) => {
        const chunk = this.logs.chunk(this.logOf(id), from);
        return moved(chunk === null ? [] : [chunk]);
      },
      inherited: (id: string) => inherited(this.logOf(id)),
      pick: (id: string, seqs: Uint32Array) => {
        const picked = this.whole.pick(this.logOf(id), seqs);
        return new Moved(picked, picked === null ? [] : ([picked.lens.buffer, picked.bytes.buffer] as ArrayBuffer[]));
      },
      verify: (id: string) => this.verify(id),
      artifact: (ref: string) => artifacts.get(ref),
      sourceStates: (agent?: string): SourceState[] => sources.states(agent),
      sourceState: (path: string): SourceState | null => sources.state(path),
      enabledSources: () => sources.enabled(),
      manifest: (id: string) => records.manifest(id),
      receipts: (query: Parameters<Records['receipts']>[0]) => records.receipts(query),
      receipt: (id: string) => records.receipt(id),
      operation: (id: string) => records.operation(id),
      setting: (key: string) => records.setting(key),
      unknownRecords: () => unknownRecords(this.db),
    };
  }

  private writeMethods() {
    const store = {
      ...this.parts(),
      whole: this.whole,
      inheritance: new Inheritance(this.db),
      rows: this.rows,
      records: this.records,
      artifacts: this.artifacts,
      signer: this.signer,
      projectors: new KnownProjectors(),
    };
    return {
      ...this.leaseMethods(),
      decide: (decision: Decision) => this.writes.run('decision', () => decide(store, decision)),
      setSourceEnabled: (agent: string, enabled: boolean) =>
        this.writes.run('decision', () => this.sources.setEnabled(agent, enabled)),
      backup: (path: string) => this.backup(path),
      close: () => this.close(),
    };
  }

  private leaseMethods() {
    return {
      takeLease: (name: string) => this.writes.run('capture', () => this.leases.take(name)),
      renewLease: (name: string, token: string) => this.writes.run('capture', () => this.leases.renew(name, token)),
      releaseLease: (name: string, token: string) => this.writes.run('capture', () => this.leases.release(name, token)),
    };
  }

  private logOf(id: string): LogHead {
    const log = this.rows.log(id);
    if (log !== undefined) return log;
    throw new AppFailure({
      code: 'not_found',
      message: `There is no session ${id} in the store. List the sessions for the right id.`,
    });
  }

  /** Stretches of a log from `from`, `limit` events in all; `whole` gives one stretch to its end. */
  private chunks(id: string, from: number, limit: number, whole = false): EventChunk[] {
    const log = this.logOf(id);
    const chunks: EventChunk[] = [];
    let left = whole ? Number.POSITIVE_INFINITY : limit;
    for (let next = from; left > 0; ) {
      const chunk = this.whole.chunk(log, next, left);
      if (chunk === null) break;
      chunks.push(chunk);
      if (whole) break;
      next += chunk.lens.length;
      left -= chunk.lens.length;
    }
    return chunks;
  }

  private single(id: string, seqs: readonly number[]): EventChunk[] {
    const log = this.logOf(id);
    return seqs.map((seq) => this.whole.chunk(log, seq, 1)).filter((chunk) => chunk !== null);
  }

  private verify(id: string) {
    const log = this.logOf(id);
    const broken = this.logs.findBreak(log);
    if (broken !== null) return { ok: false as const, ...broken };
    return { ok: true as const, events: log.events, head: `sha256:${log.head.toString('hex')}` };
  }

  /** A session's source lies elsewhere now: what is known of it goes along. False = it is not known, or lies there already. */
  private async moved(uid: string, path: string): Promise<boolean> {
    const from = this.rows.get(uid)?.source ?? null;
    if (from === null || from === path) return false;
    await this.writes.run('capture', () => {
      this.sources.move(from, path);
      this.sessions.move(from, path);
    });
    return true;
  }

  private begin(path: string): CaptureStart {
    const source = this.sources.state(path);
    const uids = new Set([...(source?.sessions ?? []), ...this.rows.bySource(path)]);
    const sessions = [...uids].flatMap((uid) => {
      const log = this.sessions.log(uid);
      return log === undefined ? [] : [{ uid, events: log.events, summary: this.summaryOf(uid) }];
    });
    return { source, sessions };
  }

  private summaryOf(uid: string): SummaryState | null {
    const saved = this.sessions.saved(uid);
    return saved === null ? null : unpackSummary(saved.summary);
  }

  private bytes(): number {
    return ['', '-wal'].reduce(
      (sum, end) => sum + (statSync(this.db.name + end, { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  }

  private backup(path: string): { bytes: number } {
    try {
      closeSync(openSync(path, 'wx', 0o600));
      this.db.prepare('VACUUM INTO ?').run(path);
      return { bytes: statSync(path).size };
    } catch (thrown) {
      if ((thrown as { code?: string }).code !== 'EEXIST') throw new AppFailure(storeError(thrown));
      throw new AppFailure({
        code: 'target_exists',
        message: `${path} is there already. Name a file that is not; nothing was changed.`,
      });
    }
  }

  private async close(): Promise<void> {
    await this.writes.idle();
    this.maintenance.stop();
    this.db.close();
  }
}

function moved(chunks: EventChunk[]): Moved<EventChunk[]> {
  return new Moved(
    chunks,
    chunks.flatMap(({ lens, bytes, sums }) => [lens.buffer, bytes.buffer, sums.buffer] as ArrayBuffer[]),
  );
}
