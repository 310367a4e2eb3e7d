import { createHash } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM = 14;
const BITS = (1n << 48n) - 1n;
/** Ids made in one millisecond. */
const STEPS = 4096n;
/** Ids wrap around every 795 days: within one message that would turn the order of its parts. */
const NEAR_END = 1n << 24n;

/** `ses_…`: the newest first when sorted by id, as OpenCode makes them. `at` in seconds. */
export function sessionId(uuid: string, at: number): string {
  return named('ses', ~(BigInt(Math.round(at * 1000)) * STEPS), uuid);
}

/**
 * Ids of the messages and parts of one session, each later in order than the one before. They follow from the session's
 * id, so that a retry gives the same and an id can be told from one that OpenCode made.
 */
export class Ids {
  readonly #session: string;
  #last = 0n;

  constructor(session: string) {
    this.#session = session;
  }

  /** `ms`: time of the message, not before that of the one before it. */
  message(ms: number): string {
    const own = BigInt(Math.max(0, Math.floor(ms))) * STEPS;
    this.#last = own > this.#last ? own : this.#last + 1n;
    if ((this.#last & BITS) > BITS - NEAR_END) this.#last += NEAR_END;
    return named('msg', this.#last, this.#session);
  }

  /** A part of the last message. */
  part(): string {
    this.#last += 1n;
    return named('prt', this.#last, this.#session);
  }
}

/** Whether `Ids` of this session made an id. */
export function isOwnId(id: string, session: string): boolean {
  const match = /^(msg|prt)_([0-9a-f]{12})/.exec(id);
  return match !== null && id === named(match[1]!, BigInt(`0x${match[2]}`), session);
}

/** Id of a copied message or part: it sorts as the old one does. Anything else stays. */
export function renewed(id: string, session: string): string {
  const match = /^((?:msg|prt)_[0-9a-f]{12})/.exec(id);
  return match === null ? id : `${match[1]}${randomOf(`${session} ${id}`)}`;
}

function named(kind: string, value: bigint, from: string): string {
  const time = (value & BITS).toString(16).padStart(12, '0');
  return `${kind}_${time}${randomOf(`${from} ${kind}_${time}`)}`;
}

function randomOf(seed: string): string {
  const bytes = createHash('sha256').update(seed).digest();
  return Array.from(bytes.subarray(0, RANDOM), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}
