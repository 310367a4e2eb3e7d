import { Redactor } from '../../../src/core/redact/redactor.ts';
import type { RedactionState } from '../../../src/core/redact/secret-ids.ts';
import type { SessionLog } from './log.ts';
import { LIFTED_FIELDS } from './shrink.ts';
import type { Message, Unit } from './units.ts';

/** What tools take and give, in names of their own: an `id` there is no id of the client, and may be a secret. */
const FOREIGN: ReadonlySet<string> = new Set(['input']);
/** Fields that are kept or removed whole. */
const PROTECTED: ReadonlySet<string> = new Set([
  ...LIFTED_FIELDS,
  'id',
  'parentID',
  'sessionID',
  'messageID',
  'sessionId',
  'parentSessionId',
  'callID',
  'signature',
  'redactedData',
  'thoughtSignature',
  'reasoningEncryptedContent',
  'encryptedContent',
  'itemId',
  'snapshot',
  'hash',
]);

export function redactorOf(key: Uint8Array, state: RedactionState | null): Redactor {
  return new Redactor({
    key,
    state: state ?? undefined,
    protectedKey: (name) => PROTECTED.has(name),
    foreignKey: (name) => FOREIGN.has(name),
  });
}

/** Takes the secrets out of a message before the first of its events is written, and not if none is. */
export class Redacting {
  readonly #message: Message;
  readonly #redactor: Redactor;
  readonly #log: SessionLog;
  #done = false;

  constructor(message: Message, redactor: Redactor, log: SessionLog) {
    this.#message = message;
    this.#redactor = redactor;
    this.#log = log;
  }

  ready(): void {
    if (this.#done) return;
    this.#done = true;
    const before = this.#redactor.replaced;
    this.#redactor.record(this.#message.data);
    for (const part of this.#message.parts) this.#redactor.record(part.data);
    this.#log.redactions = this.#redactor.replaced - before;
  }

  write(unit: Unit): void {
    this.ready();
    unit.write(this.#log);
  }
}
