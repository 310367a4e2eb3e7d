import { Chain } from '../../core/log/chain.ts';
import { type AppError, AppFailure, toAppError } from '../../shared/errors.ts';
import { EventBuffer } from './event-buffer.ts';
import type { CaptureResult, Credit, IntakeItem, IntakeMessage, SessionCommit } from './intake-protocol.ts';
import { type LogWriter, type Packed, packRun } from './log-writer.ts';
import { type Artifacts, type PackedArtifact, packArtifact } from './records.ts';
import type { Port } from './rpc.ts';
import type { NewSession, SessionWriter, StoredLog } from './session-writer.ts';
import type { Sources } from './sources.ts';
import type { Writes } from './writes.ts';

/** Packed bytes that may wait in memory before they are written. */
const FLUSH_BYTES = 16 << 20;

/** A session within a capture. */
interface Intaken {
  begin: NewSession;
  /** events when the capture began; another number at commit means that someone else appended */
  before: number;
  events: number;
  head: Buffer;
  packed: Packed[];
  /** its log as this transaction found it */
  stored?: StoredLog | undefined;
}

interface OpenCapture {
  path: string;
  version: number;
  sessions: Map<number, Intaken>;
  artifacts: PackedArtifact[];
  bytes: number;
  /** something of it was written already, behind the ends of the logs */
  begun: boolean;
  stale: boolean;
  error: AppError | null;
}

type Closed = { capture: number; open: OpenCapture; item: Extract<IntakeItem, { kind: 'close' }> };

/** The parts of the store that captures are written through. */
export interface IntakeStore {
  writes: Writes;
  log: LogWriter;
  sessions: SessionWriter;
  sources: Sources;
  artifacts: Artifacts;
  /** a log's tail may have to be sealed */
  appended(id: number): void;
}

/**
 * Takes in the captures of one worker: hashes and packs as the buffers come, outside any transaction, and writes in short
 * ones. A large capture is written in pieces behind the ends of its logs, where no reader looks; the last piece moves the
 * ends, the rows and the source's cursor in one transaction. So a capture counts as a whole or not at all, and nobody
 * waits for it.
 */
export class Intake {
  private readonly store: IntakeStore;
  private readonly port: Port;
  private readonly open = new Map<number, OpenCapture>();
  private readonly chain = new Chain();
  private closed: Closed[] = [];
  private closedBytes = 0;
  private results: CaptureResult[] = [];
  private failure: AppError | null = null;
  private last: Promise<void> = Promise.resolve();

  constructor(store: IntakeStore, port: Port) {
    this.store = store;
    this.port = port;
    port.on('message', (message) => {
      if (isIntake(message)) this.last = this.last.then(() => this.take(message));
    });
    // a worker that died leaves nothing to wait for
    port.on('close', () => this.open.clear());
  }

  /** Commits what is closed and tells what became of it. Throws when the store could not be written. */
  async flush(): Promise<CaptureResult[]> {
    this.last = this.last.then(() => this.commit());
    await this.last;
    const { results, failure } = this;
    this.results = [];
    this.failure = null;
    if (failure !== null) throw new AppFailure(failure);
    return results;
  }

  private async take(message: IntakeMessage): Promise<void> {
    const { memory } = message;
    try {
      this.unload(message);
    } catch (thrown) {
      this.failure = toAppError(thrown);
    }
    if (memory !== undefined) this.port.postMessage({ credit: memory } satisfies Credit, [memory]);
    for (const capture of this.open.values()) if (capture.bytes > FLUSH_BYTES) await this.flushPiece(capture);
    if (this.closedBytes > FLUSH_BYTES) await this.commit();
  }

  private unload({ intake, memory }: IntakeMessage): void {
    const buffer = memory === undefined ? null : new EventBuffer(memory);
    let event = 0;
    let offset = 0;
    for (const item of intake) {
      if (item.kind === 'events' && buffer !== null) {
        const run = buffer.run(event, offset, item.n);
        event += item.n;
        offset += run.bytes.length;
        this.pack(item.capture, item.session, run);
      } else this.note(item);
    }
  }

  private note(item: IntakeItem): void {
    const { capture } = item;
    if (item.kind === 'open') {
      const { path, version } = item;
      const fresh = {
        path,
        version,
        sessions: new Map(),
        artifacts: [],
        bytes: 0,
        begun: false,
        stale: false,
        error: null,
      };
      this.open.set(capture, fresh);
      return;
    }
    const open = this.open.get(capture);
    if (open === undefined) return;
    if (item.kind === 'session') this.beginSession(open, item.session, item.begin, item.events);
    else if (item.kind === 'artifact') {
      const artifact = packArtifact(item.hash, Buffer.from(item.bytes), item.media_type);
      open.artifacts.push(artifact);
      open.bytes += artifact.data.length;
    } else {
      this.open.delete(capture);
      if (item.kind !== 'close') return;
      this.closed.push({ capture, open, item });
      this.closedBytes += open.bytes;
    }
  }

  private beginSession(open: OpenCapture, session: number, begin: NewSession, events: number): void {
    const stored = this.store.sessions.log(begin.uid);
    if ((stored?.events ?? 0) !== events) open.stale = true;
    const head = stored?.head ?? Buffer.alloc(32);
    open.sessions.set(session, { begin, before: events, events, head, packed: [] });
  }

  private pack(capture: number, session: number, run: Parameters<typeof packRun>[0]): void {
    const open = this.open.get(capture);
    const intaken = open?.sessions.get(session);
    if (open === undefined || intaken === undefined || open.stale || open.error !== null) return;
    this.chain.reset(intaken.head.toString('hex'));
    const packed = packRun(run, intaken.events, intaken.before, this.chain);
    intaken.packed.push(packed);
    intaken.head = packed.kind === 'tail' ? packed.head : packed.segment.head;
    intaken.events += run.n;
    open.bytes += packed.kind === 'tail' ? run.bytes.length : packed.segment.data.length;
  }

  /** Writes what a large capture has so far, and marks its source so that a capture beside it finds itself stale. */
  private async flushPiece(open: OpenCapture): Promise<void> {
    if (open.stale || open.error !== null) return this.forget(open);
    try {
      await this.store.writes.run('capture', () => {
        if (!this.isCurrent(open)) {
          open.stale = true;
          return;
        }
        this.writePieces(open);
        this.claim(open);
      });
    } catch (thrown) {
      open.error = toAppError(thrown);
    }
    this.forget(open);
  }

  private forget(open: OpenCapture): void {
    for (const intaken of open.sessions.values()) intaken.packed = [];
    open.artifacts = [];
    open.bytes = 0;
  }

  private claim(open: OpenCapture): void {
    const known = this.store.sources.state(open.path);
    const unread = { path: open.path, agent: '', size: -1, mtime_ms: 0, cursor: null, sessions: [] };
    open.version++;
    this.store.sources.save({ ...(known ?? unread), version: open.version });
  }

  private async commit(): Promise<void> {
    const closed = this.closed;
    this.closed = [];
    this.closedBytes = 0;
    if (closed.length === 0) return;
    for (const { open } of closed) if (open.error !== null) this.failure = open.error;
    const whole = closed.filter(({ open }) => open.error === null);
    try {
      const results = await this.store.writes.run('capture', () => whole.map((one) => this.commitOne(one)));
      this.results.push(...results);
    } catch (thrown) {
      this.failure = toAppError(thrown);
    }
  }

  private commitOne({ capture, open, item }: Closed): CaptureResult {
    if (open.stale || !this.isCurrent(open)) return { capture, state: 'stale' };
    const ids = this.writePieces(open);
    const changed = item.sessions.map((commit) => this.saveSession(open, ids, commit));
    const uids = [...open.sessions.values()].map(({ begin }) => begin.uid);
    const known = this.store.sources.state(open.path)?.sessions ?? [];
    const sessions = [...new Set([...known, ...uids])];
    this.store.sources.save({ ...item.source, sessions, version: open.version + 1 });
    for (const { id } of changed) this.store.sessions.resolveParents(id);
    return { capture, state: 'done', changed };
  }

  private isCurrent(open: OpenCapture): boolean {
    if ((this.store.sources.state(open.path)?.version ?? 0) !== open.version) return false;
    for (const intaken of open.sessions.values()) {
      intaken.stored = this.store.sessions.log(intaken.begin.uid);
      if ((intaken.stored?.events ?? 0) !== intaken.before) return false;
    }
    return true;
  }

  /** Behind `isCurrent` in the same transaction. Returns the sessions' numbers in the store. */
  private writePieces(open: OpenCapture): Map<number, number> {
    const ids = new Map<number, number>();
    for (const [session, intaken] of open.sessions) {
      const id = intaken.stored?.id ?? this.store.sessions.create(intaken.begin);
      ids.set(session, id);
      if (!open.begun) this.store.log.clearBehind(id, intaken.before);
      this.store.log.add(id, intaken.packed);
    }
    for (const artifact of open.artifacts) this.store.artifacts.add(artifact);
    open.begun = true;
    return ids;
  }

  private saveSession(open: OpenCapture, ids: Map<number, number>, commit: SessionCommit) {
    const { begin, before, events, head, stored } = open.sessions.get(commit.session) as Intaken;
    const id = ids.get(commit.session) as number;
    const isNew = stored === undefined || stored.listed === 0;
    if (commit.parent !== undefined) this.store.sessions.setParent(id, commit.parent);
    this.store.sessions.save({ id, events, head }, commit.saved);
    if (events > before) this.store.appended(id);
    const change = isNew ? ('added' as const) : events > before ? ('appended' as const) : ('changed' as const);
    return { id: begin.uid, change, events };
  }
}

function isIntake(message: unknown): message is IntakeMessage {
  return typeof message === 'object' && message !== null && 'intake' in message;
}
