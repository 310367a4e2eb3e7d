import type { Redactor } from '../../core/redact/redactor.ts';
import { RULES_VERSION } from '../../core/redact/rules.ts';
import type { RedactionState } from '../../core/redact/secret-ids.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { SessionRow } from '../../shared/session.ts';
import { payloadRedactor, redactedPayload, redactionOf } from '../sessions/redaction.ts';
import type { StoreReader } from '../store/contract.ts';

export interface Redactions {
  removed: number;
  by_type: Record<string, number>;
}

/**
 * The second look for secrets, at what leaves the store. What is stored was redacted at capture; sessions that were read
 * under older rules are redacted again on their way out, and all texts that the handoff adds are.
 */
export class OutgoingRedactor {
  readonly #redactor: Redactor;
  readonly #before: number;
  /** true: events were captured under other rules than today's */
  clean: boolean;

  constructor(key: Uint8Array, state: RedactionState | null) {
    this.#redactor = payloadRedactor(key, state);
    this.#before = sum(this.#redactor.counts);
    this.clean = state === null || state.rules !== RULES_VERSION;
  }

  /** The event itself, or a redacted copy. */
  event(event: SessionEvent): SessionEvent {
    if (!this.clean) return event;
    return { ...event, payload: redactedPayload(this.#redactor, event.payload) };
  }

  text(text: string): string {
    return this.#redactor.text(text);
  }

  /** The bytes of an artifact, or redacted ones; what is no text stays as it is. */
  artifact({ bytes, media_type }: { bytes: Uint8Array; media_type: string }): Uint8Array {
    const isJson = media_type === 'application/json';
    if (!this.clean || !(isJson || media_type.startsWith('text/'))) return bytes;
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      const clean = isJson ? JSON.stringify(this.#redactor.record(JSON.parse(text))) : this.#redactor.text(text);
      return clean === text ? bytes : Buffer.from(clean);
    } catch {
      return bytes;
    }
  }

  /** All secrets taken out of this session, at capture and now. */
  get counts(): Redactions {
    const by_type = this.#redactor.counts;
    return { removed: sum(by_type), by_type };
  }

  /** Replaced by this redactor alone. */
  get found(): number {
    return sum(this.#redactor.counts) - this.#before;
  }
}

/** What was taken out of several sessions. */
export function sumOf(all: readonly Redactions[]): Redactions {
  const by_type: Record<string, number> = {};
  for (const one of all)
    for (const [type, count] of Object.entries(one.by_type)) by_type[type] = (by_type[type] ?? 0) + count;
  return { removed: sum(by_type), by_type };
}

const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** A redactor that goes on with the numbers of the session's captures. */
export async function outgoingRedactor(
  reader: StoreReader,
  row: SessionRow,
  key: Uint8Array,
): Promise<OutgoingRedactor> {
  return new OutgoingRedactor(key, await redactionOf(reader, row));
}
