import type { OutputEvents, OutputPage, OutputSession } from '../../core/outputs/output.ts';
import { FLAG } from '../../core/view/flags.ts';
import { WHOLE } from '../../core/view/preview.ts';
import { buildRows } from '../../core/view/rows.ts';
import { pageSeqs } from '../../core/view/transcript.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { TranscriptRow } from '../../shared/transcript.ts';
import { type OutgoingRedactor, outgoingRedactor, type Redactions } from '../handoff/outgoing.ts';
import type { OpenHome } from '../procedures/context.ts';
import { type View, viewOf } from '../procedures/view.ts';
import type { StoreReader } from '../store/contract.ts';
import type { ImageShelf } from './images.ts';
import { lastLook } from './last-look.ts';
import { wholeOutput } from './whole-output.ts';

/** Events that are in memory at once, and of a page's rows one more: a group of at most 40 calls, or one message. */
const AT_ONCE = 200;
/** Events that the store gives in one answer. */
const EVENTS = 1_000;

/** A session on its way out, with what was taken out of it so far. */
export interface Outgoing extends OutputSession {
  readonly redactions: Redactions;
}

/** How sessions are read for an output. */
export interface Reading {
  all: boolean;
  /** shared by all sessions of one output: its bound counts for all of them together */
  images: ImageShelf;
  /** told after each page: events of the log that are done */
  onEvents(count: number): void;
  signal: AbortSignal;
}

export async function outgoingSession(home: OpenHome, stored: SessionRow, reading: Reading): Promise<Outgoing> {
  const { reader } = home.store;
  const redactor = await outgoingRedactor(reader, stored, home.keys.redaction);
  const view = await viewOf(reader, stored);
  const row = lastLook({ ...redacted(stored), events: view.index.n }, redactor);
  const session: SessionReader = {
    id: stored.id,
    reader,
    view,
    redactor,
    reading,
    rows: view.plan.rows,
    n: view.index.n,
  };
  return {
    row,
    inactive: inactiveRows(session),
    pages: () => pagesOf(session),
    events: () => eventsOf(session),
    get redactions() {
      return redactor.counts;
    },
  };
}

/** What of a row is text that somebody wrote; the paths of our own machine stay here. */
function redacted(row: SessionRow): SessionRow {
  return { ...structuredClone(row), source: null };
}

/** `rows` and `n` as they were when it began: a session that grows meanwhile is written up to there. */
interface SessionReader {
  id: string;
  reader: StoreReader;
  view: View;
  redactor: OutgoingRedactor;
  reading: Reading;
  rows: number;
  n: number;
}

async function* pagesOf(session: SessionReader): AsyncGenerator<OutputPage> {
  const { view, reading, rows: total, n } = session;
  const { all } = reading;
  const { active } = view.sight;
  for (let from = 0, limit = 0; from < total; from += limit) {
    limit = rowsAtOnce(session, from);
    const seqs = pageSeqs(view.plan, view.index, from, limit).filter((seq) => seq < n && (all || active[seq] === 1));
    const events = await outgoing(session, seqs);
    const isActive = (event: SessionEvent): boolean => active[event.seq] === 1;
    const rows = rowsOf(session, events.filter(isActive), from, limit);
    if (all)
      rows.push(
        ...rowsOf(
          session,
          events.filter((event) => !isActive(event)),
          from,
          limit,
        ),
      );
    rows.sort((a, b) => a.ordinal - b.ordinal);
    for (const row of rows) lastLook(row, session.redactor);
    yield { rows, images: await reading.images.of(events, session.reader) };
    // rows are about even over the log; the last page brings the rest
    reading.onEvents(from + limit === total ? n : Math.floor((n * (from + limit)) / total));
  }
}

/** How many rows from `from` on have about as many events as are looked at together; one at least. */
function rowsAtOnce({ view: { plan }, rows: total }: SessionReader, from: number): number {
  let to = from + 1;
  while (to < total && plan.last[to]! - plan.first[from]! < AT_ONCE) to++;
  return to - from;
}

function rowsOf({ view }: SessionReader, events: SessionEvent[], from: number, limit: number): TranscriptRow[] {
  return buildRows(view.plan, view.sight, events, from, limit, WHOLE);
}

async function* eventsOf(session: SessionReader): AsyncGenerator<OutputEvents> {
  const { view, reading, redactor, n } = session;
  const { active } = view.sight;
  for (let from = 0; from < n; from += AT_ONCE) {
    const seqs: number[] = [];
    for (let seq = from; seq < Math.min(n, from + AT_ONCE); seq++) if (reading.all || active[seq] === 1) seqs.push(seq);
    const events = await outgoing(session, seqs);
    const images = await reading.images.of(events, session.reader);
    yield { events: events.map((event) => ({ ...seen(event, redactor), active: active[event.seq] === 1 })), images };
    reading.onEvents(Math.min(n, from + AT_ONCE));
  }
}

function seen(event: SessionEvent, redactor: OutgoingRedactor): SessionEvent {
  return { ...event, payload: lastLook(structuredClone(event.payload), redactor) };
}

/** Events as they may leave the store, with outputs whole where they are not too long. */
async function outgoing({ id, reader, redactor, reading }: SessionReader, seqs: number[]): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for (let from = 0; from < seqs.length; from += EVENTS) {
    reading.signal.throwIfAborted();
    for (const event of await reader.eventsAt(id, seqs.slice(from, from + EVENTS)))
      events.push(withoutNative(await wholeOutput(redactor.event(event), reader, redactor)));
  }
  return events;
}

/** What only its own agent reads is never written: it stands there as a part without content. */
function withoutNative(event: SessionEvent): SessionEvent {
  const { native: _, ...payload } = event.payload;
  for (const name of ['content', 'summary']) {
    const blocks = payload[name];
    if (Array.isArray(blocks) && blocks.some((block) => block?.kind === 'opaque'))
      payload[name] = blocks.map((block) => (block?.kind === 'opaque' ? { kind: 'opaque', native: null } : block));
  }
  return { ...event, payload };
}

/** Rows of which nothing is active. */
function inactiveRows({ view: { index, plan, sight }, rows, n }: SessionReader): number {
  const shown = new Uint8Array(rows);
  const live = new Uint8Array(rows);
  for (let seq = 0; seq < n; seq++) {
    if (index.flags[seq]! & (FLAG.HIDDEN | FLAG.DERIVED)) continue;
    const row = plan.rowOf[seq]!;
    if (row >= rows) continue;
    shown[row] = 1;
    if (sight.active[seq] === 1) live[row] = 1;
  }
  let count = 0;
  for (let row = 0; row < rows; row++) if (shown[row] && !live[row]) count++;
  return count;
}
