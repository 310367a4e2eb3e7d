import { eventText } from '../../core/search/event-text.ts';
import type { Matcher } from '../../core/search/match.ts';
import type { SearchFilters } from '../../core/search/query.ts';
import { snippetOf } from '../../core/search/snippet.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { SearchHit } from '../../shared/search.ts';
import { pickedOf } from '../store/event-chunk.ts';
import type { LogHead } from '../store/log-head.ts';
import { SEGMENT_EVENTS } from '../store/segment.ts';
import type { WholeLogs } from '../store/whole-logs.ts';
import { EventPlaces } from './places.ts';

/** What is shown of a session's matches. */
export interface Hits {
  hits: SearchHit[];
  /** events that match; exact unless there were too many to look at */
  total: number;
  exact: boolean;
  /** how many matches had been looked at when there was no time for more; null = it came to its end */
  stopped: number | null;
}

export interface HitRequest {
  /** canonical id of the session, and its log as it is read */
  id: string;
  log: LogHead;
  /** matches by the index, as the session is read, the best first */
  seqs: readonly number[];
  /** for events without a time */
  at: number | null;
  matcher: Matcher;
  times: Times;
  /** the index tells all: each match is one */
  exact: boolean;
  offset: number;
  limit: number;
  /** doubtful matches that were looked at before */
  skip: number;
  /** all doubtful matches are looked at, so that they are counted */
  counts: boolean;
}

/**
 * How much one search looks at before it gives what it has: of a phrase of common words few events hold the phrase, and
 * whoever waits decides whether to look further. An event counts 1, a stretch of the log that has to be unpacked for it 10.
 * Where nothing is doubtful only a page of huge events takes long.
 */
const MOST_WORK = 600;
const STRETCH_WORK = 10;
const DOUBTFUL_MS = 300;
const CERTAIN_MS = 1000;
/** Events read at once. */
const BATCH = 16;
/** How much one search may still look at. */
export class Budget {
  private work = MOST_WORK;
  private readonly end: number;

  /** @param exact nothing is doubtful */
  constructor(exact: boolean) {
    this.end = performance.now() + (exact ? CERTAIN_MS : DOUBTFUL_MS);
  }

  /** Takes what looking at these events costs. */
  take(seqs: readonly number[]): void {
    const stretches = new Set(seqs.map((seq) => Math.floor(seq / SEGMENT_EVENTS)));
    this.work -= seqs.length + STRETCH_WORK * stretches.size;
  }

  get isUsedUp(): boolean {
    return this.work <= 0 || performance.now() > this.end;
  }
}

/** Reads the events that match and makes hits of them. */
export class HitReader {
  private readonly logs: WholeLogs;
  private readonly places: EventPlaces;

  constructor(logs: WholeLogs) {
    this.logs = logs;
    this.places = new EventPlaces(logs);
  }

  read(request: HitRequest, budget: Budget): Hits {
    const { log, seqs, exact, offset, limit, skip, counts } = request;
    const start = exact ? offset : skip;
    const end = exact ? limit : offset + limit;
    const hits: SearchHit[] = [];
    let looked = start;
    let stopped: number | null = null;
    let n = 0;
    while (looked < seqs.length && (counts || hits.length < end)) {
      // what is asked for is shown, what is doubtful is looked at while there is time
      if (!exact && budget.isUsedUp) {
        stopped = looked;
        break;
      }
      // most are what they look like; where they are not, more are read at once
      n = Math.min(BATCH, exact ? end - hits.length : Math.max(2 * n, end - hits.length, 1));
      const batch = seqs.slice(looked, looked + n);
      if (!exact) budget.take(batch);
      for (const event of this.events(log, batch)) {
        const hit = this.hit(event, request);
        if (hit !== null) hits.push(hit);
      }
      looked += batch.length;
    }
    const total = seqs.length - (looked - start - hits.length);
    const shown = exact ? hits : hits.slice(offset, end);
    return { hits: shown, total, exact: exact || (skip === 0 && looked === seqs.length), stopped };
  }

  /** Events in the order asked; one that cannot be read is left out. */
  private events(log: LogHead, seqs: readonly number[]): SessionEvent[] {
    const events: SessionEvent[] = [];
    for (let at = 0; at < seqs.length; ) {
      try {
        const picked = this.logs.pick(log, Uint32Array.from(seqs.slice(at)));
        if (picked === null || picked.lens.length === 0) at++;
        else {
          events.push(...pickedOf(picked));
          at += picked.lens.length;
        }
      } catch {
        at++;
      }
    }
    return events;
  }

  private hit(event: SessionEvent, { id, log, at, matcher, times }: HitRequest): SearchHit | null {
    const said = eventText(event);
    if (said === null || !isWithin(event.ts ?? at, times)) return null;
    const matches = matcher.match(said.texts);
    if (matches === null) return null;
    const read = (seqs: readonly number[]) => this.events(log, seqs);
    return {
      seq: event.seq,
      ...this.places.of(id, log, event.seq, read),
      ts: event.ts,
      kind: said.kind,
      error: said.error,
      tool: said.tool ?? this.toolOf(log, event),
      copied: said.copy,
      ...snippetOf(said.texts, matches),
    };
  }

  /** Name of the tool that a result comes from. */
  private toolOf(log: LogHead, { parent_seq: parent, type }: SessionEvent): string | null {
    const [call] = type === 'tool.result' && parent !== null ? this.events(log, [parent]) : [];
    return call?.type === 'tool.call' && typeof call.payload.name === 'string' ? call.payload.name : null;
  }
}

type Times = Pick<SearchFilters, 'after' | 'before'>;

function isWithin(at: number | null, { after, before }: Times): boolean {
  if (after === null && before === null) return true;
  return at !== null && at >= (after ?? Number.NEGATIVE_INFINITY) && at < (before ?? Number.POSITIVE_INFINITY);
}
