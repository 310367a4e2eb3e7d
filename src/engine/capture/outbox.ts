import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { EventBuffer, memoryFor } from '../store/event-buffer.ts';
import type { IntakeItem, IntakeMessage } from '../store/intake-protocol.ts';

/** So many buffers go round between this thread and the store's; with fewer than six one waits for the other. */
const BUFFERS = 6;
const SPARE = 2;

/** Runs with fewer events and bytes share a buffer with others. */
const SMALL_RUN = 64;
const SMALL_BYTES = 256 << 10;

/** Artifacts waiting for company are sent at the latest when they have so many bytes. */
const ARTIFACT_BYTES = 1 << 20;

/** A busy thread looks at its messages at least this often. */
const TURN_MS = 20;

const STANDARD = memoryFor().byteLength;

/** Carries captures to the store's thread, in order, and holds the sender back when the store falls behind. */
export class Outbox {
  private readonly port: MessagePort;
  private readonly free: EventBuffer[] = [];
  private items: IntakeItem[] = [];
  private transfer: ArrayBuffer[] = [];
  private artifactBytes = 0;
  private shared: EventBuffer | null = null;
  private made = 0;
  private wake: (() => void) | null = null;
  private closed = false;
  private turn = performance.now();

  constructor(port: MessagePort) {
    this.port = port;
    port.on('message', (message: unknown) => {
      if (!isCredit(message)) return;
      if (message.credit.byteLength === STANDARD) this.free.push(new EventBuffer(message.credit));
      this.wake?.();
    });
    port.on('close', () => {
      this.closed = true;
      this.wake?.();
    });
  }

  /** An empty buffer for the events of one session. */
  take(): EventBuffer {
    const buffer = this.free.pop();
    if (buffer === undefined) {
      this.made++;
      return new EventBuffer(memoryFor());
    }
    buffer.clear();
    return buffer;
  }

  /** Gives back a buffer that was not used. */
  give(buffer: EventBuffer): void {
    if (buffer.memory.byteLength === STANDARD) this.free.push(buffer);
  }

  item(item: IntakeItem): void {
    this.items.push(item);
    if (item.kind !== 'artifact') return;
    this.transfer.push(item.bytes);
    this.artifactBytes += item.bytes.byteLength;
    if (this.artifactBytes > ARTIFACT_BYTES) this.ship();
  }

  /** Takes the buffer with the events in it. */
  events(capture: number, session: number, buffer: EventBuffer): void {
    const item: IntakeItem = { kind: 'events', capture, session, n: buffer.n };
    if (buffer.n >= SMALL_RUN || buffer.used > SMALL_BYTES) {
      this.ship();
      this.post({ intake: [item], memory: buffer.memory }, [buffer.memory]);
      return;
    }
    this.shared ??= this.take();
    if (!this.shared.append(buffer)) {
      this.ship();
      this.shared = this.take();
      this.shared.append(buffer);
    }
    this.items.push(item);
    this.give(buffer);
  }

  /** Sends what has gathered. */
  ship(): void {
    if (this.items.length === 0) return;
    const { items, transfer, shared } = this;
    this.items = [];
    this.transfer = [];
    this.shared = null;
    this.artifactBytes = 0;
    if (shared === null) this.post({ intake: items }, transfer);
    else this.post({ intake: items, memory: shared.memory }, [...transfer, shared.memory]);
  }

  /** Waits until the store has caught up, and lets messages to this thread be heard. Throws when the store is closed. */
  async drain(): Promise<void> {
    if (this.spare() >= SPARE && performance.now() - this.turn < TURN_MS) return;
    await nextTurn();
    while (this.spare() < SPARE && !this.closed) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    this.wake = null;
    this.turn = performance.now();
    if (this.closed) throw new Error('the store was closed');
  }

  private spare(): number {
    return this.free.length + Math.max(0, BUFFERS - this.made);
  }

  private post(message: IntakeMessage, transfer: ArrayBuffer[]): void {
    this.port.postMessage(message, transfer);
  }
}

function isCredit(message: unknown): message is { credit: ArrayBuffer } {
  return typeof message === 'object' && message !== null && 'credit' in message;
}
