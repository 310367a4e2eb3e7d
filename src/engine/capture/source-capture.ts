import type {
  AgentEnv,
  CaptureOutcome,
  CaptureSink,
  Cursor,
  NativeSource,
  SessionAdapter,
  SessionRef,
} from '../../../adapters/contract.ts';
import { sha256Hex } from '../../core/hash.ts';
import { SummaryProjector } from '../../core/view/summary.ts';
import { type AppError, toAppError } from '../../shared/errors.ts';
import type { SessionEvent, Warning } from '../../shared/events.ts';
import { readerOf } from '../store/client.ts';
import type { StoreReader } from '../store/contract.ts';
import type { CaptureResult, CaptureStart, SessionCommit } from '../store/intake-protocol.ts';
import type { RpcClient } from '../store/rpc.ts';
import { emptyRow, savedRow } from '../store/session-row.ts';
import type { StoreService } from '../store/store-service.ts';
import { ActiveSources } from './active-sources.ts';
import type { Outbox } from './outbox.ts';
import { sessionIdOf } from './session-id.ts';
import { SessionRecorder } from './session-recorder.ts';

export type StoreRpc = RpcClient<ReturnType<StoreService['captureMethods']>>;

/** What one capture found; whether it counts is known after `flush`. */
export interface Captured {
  capture: number;
  source: NativeSource;
  events: number;
  records: number;
  warnings: Warning[];
  error: AppError | null;
}

const NOTHING: CaptureStart = { source: null, sessions: [] };

/** Captures sources one after the other into a store. */
export class SourceCapture {
  private readonly rpc: StoreRpc;
  private readonly outbox: Outbox;
  private readonly env: AgentEnv;
  readonly redactionKey: Uint8Array;
  private readonly active = new ActiveSources();
  private readonly reader: StoreReader;
  private next = 1;

  constructor(rpc: StoreRpc, outbox: Outbox, env: AgentEnv, redactionKey: Uint8Array) {
    this.rpc = rpc;
    this.outbox = outbox;
    this.env = env;
    this.redactionKey = redactionKey;
    this.reader = readerOf(rpc);
  }

  /**
   * Reads what is new in a source and hands it in. Never throws for what the source holds: an error is in the result.
   * @param isKnown false when the source was never captured, which saves a question to the store
   */
  async capture(
    adapter: Pick<SessionAdapter, 'capture'>,
    source: NativeSource,
    isKnown: boolean,
    signal?: AbortSignal,
  ): Promise<Captured> {
    const capture = this.next++;
    const start = await this.start(source, isKnown);
    const sink = new RecordingSink(this.outbox, source, capture, await this.projectors(source, start), (id, before) =>
      this.stored(id, before),
    );
    this.outbox.item({ kind: 'open', capture, path: source.path, version: start.source?.version ?? 0 });
    const cursor = this.active.cursor(source.path, start);
    const outcome = await this.run(adapter, source, cursor, sink, signal);
    if ('error' in outcome) {
      sink.discard();
      this.active.forget(source.path);
      this.outbox.item({ kind: 'drop', capture });
      return { capture, source, events: 0, records: 0, warnings: [], error: outcome.error };
    }
    const warnings = [...outcome.warnings, ...accounting(outcome)];
    sink.main?.warnings(warnings);
    const { path, agent, bytes: size, mtime_ms } = source;
    const state = { path, agent, size, mtime_ms, cursor: outcome.cursor };
    this.outbox.item({ kind: 'close', capture, source: state, sessions: sink.commits() });
    this.active.keep(path, capture, (start.source?.version ?? 0) + 1, outcome.cursor, sink.projectors());
    return { capture, source, events: sink.events, records: outcome.records, warnings, error: null };
  }

  /** Commits the captures since the last flush. Throws AppFailure when the store could not be written. */
  async flush(): Promise<CaptureResult[]> {
    this.outbox.ship();
    const results = await this.rpc.call('flush');
    for (const { capture, state } of results) if (state === 'stale') this.active.forgetCapture(capture);
    return results;
  }

  /** Where the last capture stopped. A source that is not known can be one that its agent has moved. */
  private async start(source: NativeSource, isKnown: boolean): Promise<CaptureStart> {
    const start = isKnown ? await this.rpc.call('begin', source.path) : NOTHING;
    if (start.source !== null || source.home_path === undefined) return start;
    const isMoved = await this.rpc.call('moved', sessionIdOf(source), source.path);
    return isMoved ? this.rpc.call('begin', source.path) : start;
  }

  private async run(
    adapter: Pick<SessionAdapter, 'capture'>,
    source: NativeSource,
    cursor: Cursor | null,
    sink: CaptureSink,
    signal: AbortSignal | undefined,
  ): Promise<CaptureOutcome | { error: AppError }> {
    try {
      const options = { env: this.env, redactionKey: this.redactionKey, ...(signal && { signal }) };
      const result = await adapter.capture(source, cursor, sink, options);
      return result.ok ? result.value : { error: result.error };
    } catch (thrown) {
      return { error: toAppError(thrown) };
    }
  }

  /** Projectors of the source's sessions, where they stand. */
  private async projectors(source: NativeSource, start: CaptureStart): Promise<Map<string, SummaryProjector>> {
    const projectors = new Map<string, SummaryProjector>();
    for (const { uid, events, summary } of start.sessions) {
      const known = this.active.projector(source.path, uid);
      if (known?.n === events) projectors.set(uid, known);
      else if (summary !== null) {
        projectors.set(uid, new SummaryProjector({ columns: await this.reader.index(uid), state: summary }));
      }
    }
    return projectors;
  }

  private async *stored(id: string, before: number): AsyncGenerator<SessionEvent> {
    if (before === 0) return;
    for await (const events of this.reader.stream(id)) for (const event of events) if (event.seq < before) yield event;
  }
}

/** The sink of one source's capture. */
class RecordingSink implements CaptureSink {
  private readonly outbox: Outbox;
  private readonly source: NativeSource;
  private readonly capture: number;
  private readonly known: Map<string, SummaryProjector>;
  private readonly read: (id: string, before: number) => AsyncIterable<SessionEvent>;
  private readonly recorders = new Map<string, SessionRecorder>();
  private readonly sent = new Set<string>();

  constructor(
    outbox: Outbox,
    source: NativeSource,
    capture: number,
    known: Map<string, SummaryProjector>,
    read: (id: string, before: number) => AsyncIterable<SessionEvent>,
  ) {
    this.outbox = outbox;
    this.source = source;
    this.capture = capture;
    this.known = known;
    this.read = read;
  }

  session(ref: SessionRef): SessionRecorder {
    const { agent, path } = this.source;
    const { home_path } = this.source;
    const id = this.idOf({ native_id: ref.native_id, path, ...(home_path && { home_path }) }, ref.part);
    const open = this.recorders.get(id);
    if (open !== undefined) return open;
    const recorder = new SessionRecorder({
      id,
      ref,
      agent,
      capture: this.capture,
      number: this.recorders.size,
      projector: this.known.get(id) ?? new SummaryProjector(),
      outbox: this.outbox,
      read: (before) => this.read(id, before),
    });
    this.recorders.set(id, recorder);
    const begin = { uid: id, agent, native_id: ref.native_id, source: path, part: ref.part ?? null };
    const { capture, outbox } = this;
    outbox.item({ kind: 'session', capture, session: recorder.number, begin, events: recorder.next });
    return recorder;
  }

  artifact(bytes: Uint8Array, mediaType: string): string {
    const hash = sha256Hex(bytes);
    if (!this.sent.has(hash)) {
      this.sent.add(hash);
      const own = new Uint8Array(bytes).buffer;
      this.outbox.item({ kind: 'artifact', capture: this.capture, hash, media_type: mediaType, bytes: own });
    }
    return `artifact:sha256:${hash}`;
  }

  idOf(source: Pick<NativeSource, 'path' | 'home_path' | 'native_id'>, part?: string): string {
    return sessionIdOf({ ...source, agent: this.source.agent }, part);
  }

  drain(): Promise<void> {
    return this.outbox.drain();
  }

  /** The session that is not a part of another one; the first, where there is no such. */
  get main(): SessionRecorder | undefined {
    const all = [...this.recorders.values()];
    return all.find(({ ref }) => ref.part === undefined) ?? all[0];
  }

  get events(): number {
    let sum = 0;
    for (const recorder of this.recorders.values()) sum += recorder.added;
    return sum;
  }

  projectors(): Map<string, SummaryProjector> {
    return new Map([...this.recorders].map(([id, { projector }]) => [id, projector]));
  }

  discard(): void {
    for (const recorder of this.recorders.values()) recorder.discard();
  }

  /** Sends the last events and tells what the rows look like now. */
  commits(): SessionCommit[] {
    const { agent, path, bytes, archived, parent } = this.source;
    const { main } = this;
    if (main !== undefined && archived !== undefined) main.facts({ archived });
    return [...this.recorders.values()].map((recorder) => {
      recorder.flush();
      const { ref, projector } = recorder;
      const link = ref.parent ?? (recorder === main ? parent : undefined);
      const row = {
        ...emptyRow({ agent, native_id: ref.native_id, source: path }),
        ...projector.row(),
        bytes: recorder === main ? bytes : 0,
      };
      return {
        session: recorder.number,
        saved: savedRow(row, projector.save(), link?.kind ?? null),
        parent: link && { kind: link.kind, native_id: link.native_id },
      };
    });
  }
}

/** Every record is mapped, kept as unknown, declared or unreadable; a sum that does not come out is our defect. */
function accounting(outcome: CaptureOutcome): Warning[] {
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0);
  const told = outcome.mapped + sum(outcome.unknown) + sum(outcome.declared) + outcome.unreadable;
  if (told === outcome.records) return [];
  const detail = `${outcome.records} records were read, but ${told} are accounted for. Please report it: the capture may have lost some.`;
  return [{ about: 'accounting', detail, count: outcome.records - told }];
}
