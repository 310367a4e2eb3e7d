import type { Usage } from '../../shared/events.ts';
import { NO_USAGE, type UsageTotals } from '../../shared/session.ts';
import { type Active, isActive } from './tally.ts';

const REMEMBERED = 1024;
const SAVED = 64;

interface Entry extends UsageTotals {
  /** last event that told this usage */
  seq: number;
}

/** What of the ledger is kept with a session, so that a later capture goes on counting. */
export interface SavedUsage {
  totals: UsageTotals;
  recent: [response: string, entry: Entry][];
}

function atLeast(value: unknown, known: number): number {
  return typeof value === 'number' && value > known && value !== Infinity ? value : known;
}

/**
 * Token usage counted once per response, per field the maximum: agents repeat the usage on every record of a response,
 * with partial numbers in the early ones. Responses come back soon or never, so only the last thousand are remembered.
 */
export class UsageLedger {
  readonly totals: UsageTotals;
  #entries: Map<string, Entry>;
  #lastResponse = '';
  #last: Entry | undefined;

  constructor(saved?: SavedUsage) {
    this.totals = { ...(saved?.totals ?? NO_USAGE) };
    this.#entries = new Map(saved?.recent.map(([response, entry]) => [response, { ...entry }]));
  }

  /** @param totals where to add it: nowhere that is kept, for an answer that another session paid for */
  add(seq: number, response: string, usage: Usage, totals: UsageTotals = this.totals): void {
    const entry = response === this.#lastResponse && this.#last ? this.#last : this.#entry(response);
    entry.seq = seq;
    const input = atLeast(usage.input, entry.input);
    totals.input += input - entry.input;
    entry.input = input;
    const output = atLeast(usage.output, entry.output);
    totals.output += output - entry.output;
    entry.output = output;
    const cacheRead = atLeast(usage.cache_read, entry.cache_read);
    totals.cache_read += cacheRead - entry.cache_read;
    entry.cache_read = cacheRead;
    const cacheWrite = atLeast(usage.cache_write, entry.cache_write);
    totals.cache_write += cacheWrite - entry.cache_write;
    entry.cache_write = cacheWrite;
    const reasoning = atLeast(usage.reasoning, entry.reasoning);
    totals.reasoning += reasoning - entry.reasoning;
    entry.reasoning = reasoning;
  }

  #entry(response: string): Entry {
    let entry = this.#entries.get(response);
    if (!entry) {
      entry = { ...NO_USAGE, seq: 0 };
      this.#entries.set(response, entry);
      if (this.#entries.size > 2 * REMEMBERED) this.#entries = new Map([...this.#entries].slice(-REMEMBERED));
    }
    this.#lastResponse = response;
    this.#last = entry;
    return entry;
  }

  /** Tokens in the window after the newest response that is active and stands behind `after`; null = none known. */
  contextTokens(active: Active, after: number): number | null {
    let best: Entry | undefined;
    for (const entry of this.#entries.values()) {
      if (entry.seq > after && isActive(active, entry.seq) && entry.seq > (best?.seq ?? -1)) best = entry;
    }
    const tokens = best ? best.input + best.cache_read + best.cache_write + best.output : 0;
    return tokens > 0 ? tokens : null;
  }

  save(): SavedUsage {
    return {
      totals: { ...this.totals },
      recent: [...this.#entries].slice(-SAVED).map(([response, entry]) => [response, { ...entry }]),
    };
  }
}
