import type { SessionFacts, SessionRef, SessionSink } from '../../../adapters/contract.ts';
import type { SummaryProjector } from '../../core/view/summary.ts';
import type { EventDraft, SessionEvent, Warning } from '../../shared/events.ts';
import { bufferFor, type EventBuffer } from '../store/event-buffer.ts';
import { partsOf } from '../store/event-bytes.ts';
import type { Outbox } from './outbox.ts';

/** One session of a capture: numbers its events, derives its row, and fills buffers for the store. */
export class SessionRecorder implements SessionSink {
  readonly id: string;
  readonly ref: SessionRef;
  readonly projector: SummaryProjector;
  readonly number: number;
  next: number;
  private readonly capture: number;
  private readonly outbox: Outbox;
  private readonly agent: string;
  private readonly before: number;
  private readonly read: (before: number) => AsyncIterable<SessionEvent>;
  private readonly warned = new Set<string>();
  private buffer: EventBuffer | null = null;

  constructor(options: {
    id: string;
    ref: SessionRef;
    agent: string;
    capture: number;
    number: number;
    projector: SummaryProjector;
    outbox: Outbox;
    /** events of this session up to a number */
    read: (before: number) => AsyncIterable<SessionEvent>;
  }) {
    this.id = options.id;
    this.ref = options.ref;
    this.agent = options.agent;
    this.capture = options.capture;
    this.number = options.number;
    this.projector = options.projector;
    this.outbox = options.outbox;
    this.read = options.read;
    this.next = options.projector.n;
    this.before = this.next;
  }

  event(given: EventDraft, redactions = 0): number {
    const seq = this.next;
    const copyOf = this.projector.copyOf(given);
    const draft = copyOf === null ? given : { ...given, origin: { ...given.origin!, session: copyOf } };
    const flags = this.projector.add(seq, draft, redactions);
    const parts = partsOf(draft, seq);
    this.buffer ??= this.outbox.take();
    if (!this.buffer.add(parts, flags)) {
      this.flush();
      this.buffer = this.outbox.take();
      if (!this.buffer.add(parts, flags)) {
        this.outbox.give(this.buffer);
        this.buffer = bufferFor(parts, flags);
      }
    }
    this.next = seq + 1;
    return seq;
  }

  warning(warning: Warning): void {
    this.warned.add(JSON.stringify(warning));
    this.event({
      ts: null,
      agent: this.agent,
      actor: 'system',
      type: 'meta',
      level: 0,
      payload: { key: 'warning', value: warning },
      refs: [],
      parent_seq: null,
      origin: null,
    });
  }

  /** Keeps warnings in the log that are not there yet. */
  warnings(warnings: readonly Warning[]): void {
    for (const warning of warnings) if (!this.warned.has(JSON.stringify(warning))) this.warning(warning);
  }

  facts(facts: SessionFacts): void {
    this.projector.facts(facts);
  }

  stored(): AsyncIterable<SessionEvent> {
    return this.read(this.before);
  }

  /** Events of this capture. */
  get added(): number {
    return this.next - this.before;
  }

  /** Sends the events that have gathered. */
  flush(): void {
    if (this.buffer === null) return;
    if (this.buffer.n > 0) this.outbox.events(this.capture, this.number, this.buffer);
    else this.outbox.give(this.buffer);
    this.buffer = null;
  }

  /** Forgets them. */
  discard(): void {
    if (this.buffer !== null) this.outbox.give(this.buffer);
    this.buffer = null;
  }
}
