import { isLong } from '../../io/cut-text.ts';
import { isObject, type Json, text } from '../json.ts';
import { pack } from '../pack.ts';
import { compaction, contextEdit } from './context.ts';
import { nativeOf } from './envelope.ts';
import type { Placed } from './graph.ts';
import { copiedFrom, type Header, isHeader, startOf } from './header.ts';
import { branchSummary, message, note } from './messages.ts';
import type { Reading } from './state.ts';
import { usage } from './usage.ts';

/** What mapping must know beside the log. JSON, kept with the cursor. */
export interface MapState {
  header: Header | null;
  /** the first record was looked at */
  begun: boolean;
  /** ids are given by us, since version 1 has none */
  version1: boolean;
}

/** Turns the records of one session file into events, one after the other. */
export class Mapper {
  readonly #r: Reading;
  readonly #state: MapState;
  readonly #handlers: Record<string, (record: Json) => boolean | undefined>;
  /** the file is read once more from its start: what is known is passed over */
  again = false;
  /** records of version 1 that a rewritten file has given ids, by type and time */
  #nameless: Map<string, Placed[]> | null = null;
  /** records that were added by this capture */
  added = 0;

  constructor(reading: Reading, state: MapState) {
    this.#r = reading;
    this.#state = state;
    this.#handlers = {
      message: (record) => message(reading, record),
      compaction: (record) => void compaction(reading, record),
      context_edit: (record) => void contextEdit(reading, record),
      branch_summary: (record) => void branchSummary(reading, record),
      custom_message: (record) =>
        void note(reading, record.content, { ...nativeOf(record, reading.log, ['content']), $entry: 'custom_message' }),
      custom: (record) => void this.#kept('record', undefined, record),
      model_change: (record) => void this.#model(record),
      thinking_level_change: (record) =>
        void this.#kept('settings', { thinking_level: record.thinkingLevel ?? null }, record),
      label: (record) => void this.#label(record),
      session_info: (record) => void this.#title(record),
      usage: (record) => {
        this.#kept('record', undefined, record);
        usage(reading, record.usage, String(record.kind ?? 'usage'));
      },
    };
  }

  /** One record as parsed. `line` from 0. */
  record(value: unknown, line: number, redacted: boolean): void {
    const { log, accounts } = this.#r;
    accounts.records++;
    if (!isObject(value)) {
      accounts.unreadable++;
      this.#nowhere(line);
      log.warn('malformed-line', 'The line is JSON, but no record.');
      return;
    }
    if (!this.#state.begun) this.#begin(value, line);
    const id = text(value.id) ?? '';
    const header = isHeader(value) && log.graph.last < 0;
    const known = header ? undefined : this.#known(value, id, line);
    if (known !== undefined) {
      log.graph.touch(known);
      return;
    }
    const parent = header ? -1 : this.#parent(value, id, line);
    const from = header ? null : copiedFrom(this.#state.header, value.timestamp);
    log.begin({ line, time: value.timestamp ?? null, id: header || id === '' ? null : id, parent, redacted, from });
    this.added++;
    if (header) this.#start(value);
    else this.#dispatch(value);
  }

  #dispatch(record: Json): void {
    const { accounts } = this.#r;
    const type = text(record.type) ?? '';
    const handle = Object.hasOwn(this.#handlers, type) ? this.#handlers[type] : undefined;
    if (handle !== undefined && handle(record) !== false) {
      accounts.mapped++;
      return;
    }
    const role = type === 'message' && isObject(record.message) ? `message/${String(record.message.role)}` : type;
    this.#kept('unknown', pack(record, this.#r.store), null);
    accounts.noteUnknown(role === '' ? 'record without type' : role);
  }

  #begin(first: Json, line: number): void {
    const { log } = this.#r;
    this.#state.begun = true;
    this.#state.version1 = !isHeader(first) ? first.id === undefined : first.version === undefined;
    if (isHeader(first)) return;
    this.#nowhere(line);
    log.warn(
      'missing-header',
      'The file does not begin with a session header: its project folder is unknown, and Pi itself will not open it.',
      { line: 1 },
    );
  }

  #nowhere(line: number): void {
    this.#r.log.begin({ line, time: null, id: null, parent: -1, redacted: false, from: null });
  }

  #start(record: Json): void {
    const { log, accounts } = this.#r;
    const start = startOf(record);
    log.put('session.start', 'system', start);
    log.sink.facts({
      cwd: start.cwd,
      cwd_last: start.cwd,
      ...(start.model === undefined ? {} : { model: start.model }),
    });
    accounts.mapped++;
  }

  /** Says from which session this one was forked. */
  forked(from_session: string): void {
    this.#r.log.aside('session.fork', 'system', { from_session, from_seq: null, reason: 'fork' });
  }

  /** A record that is in the log: one that repeats, or of a file that is read again. */
  #known(record: Json, id: string, line: number): Placed | undefined {
    const { log, accounts } = this.#r;
    const { graph } = log;
    const placed = id === '' ? undefined : graph.records.get(id);
    if (this.again) {
      const found = placed ?? this.#renamed(record, id, line);
      if (found !== undefined) accounts.declare('captured already');
      return found;
    }
    if (placed === undefined || placed.ts !== secondsOf(record)) return undefined;
    this.#nowhere(line);
    log.warn('duplicate-records', `The record ${id} stands in the file once more; it is shown once.`, { count: 1 });
    accounts.declare('repeats a record');
    return placed;
  }

  /** Pi gives the records of version 1 ids and rewrites the file in place; type, time and order stay. */
  #renamed(record: Json, id: string, line: number): Placed | undefined {
    const { graph } = this.#r.log;
    if (isHeader(record) && line === 0) return [...graph.records.values()][0];
    if (this.#nameless === null) {
      this.#nameless = new Map();
      for (const [key, placed] of graph.records) {
        if (!key.startsWith('\n')) continue;
        const at = `${placed.ts}`;
        const list = this.#nameless.get(at);
        if (list === undefined) this.#nameless.set(at, [placed]);
        else list.push(placed);
      }
    }
    const found = this.#nameless.get(`${secondsOf(record)}`)?.shift();
    if (found !== undefined && id !== '') graph.records.set(id, found);
    return found;
  }

  /** The event that a record hangs on. Where its parent is not before it, it goes on from the record before it. */
  #parent(record: Json, id: string, line: number): number {
    const { log } = this.#r;
    const { last, records } = log.graph;
    if (id === '' || this.#state.version1 || !Object.hasOwn(record, 'parentId')) return last;
    const { parentId } = record;
    if (parentId === null) return log.graph.root;
    const parent = typeof parentId === 'string' && parentId !== id ? records.get(parentId) : undefined;
    if (parent !== undefined) return parent.end;
    this.#nowhere(line);
    log.warn(
      'dangling-parent',
      `The record before this one, ${JSON.stringify(parentId)}, is not in the file; it is joined to what stands before it.`,
    );
    return last;
  }

  /** A line that could not be read, or not whole: said with its place, and its text kept. `line` from 0. */
  damaged({ about, detail, raw }: { about: string; detail: string; raw?: string | undefined }, line: number): void {
    const { log, store } = this.#r;
    this.#nowhere(line);
    log.warn(about, detail);
    if (raw === undefined) return;
    const value = isLong(raw) ? { $text: store(Buffer.from(raw), 'text/plain') } : raw;
    log.begin({ ...log.place, parent: log.graph.last });
    this.#kept('unknown', value, null);
  }

  #kept(key: string, value: unknown, record: Json | null): void {
    const { log, store } = this.#r;
    if (record === null) log.meta(key, value);
    else if (value === undefined) log.meta(key, pack(record, store));
    else log.meta(key, value, { native: record });
  }

  #model(record: Json): void {
    const model = text(record.modelId) ?? text(record.model);
    this.#kept('model', model ?? null, record);
    if (model !== undefined) this.#r.log.sink.facts({ model });
  }

  #label(record: Json): void {
    const { log } = this.#r;
    const target = log.graph.records.get(String(record.targetId));
    this.#kept('label', { target: target?.start ?? null, label: text(record.label) ?? null }, record);
  }

  /** The name that the person gave; an empty one takes it back. */
  #title(record: Json): void {
    const { log } = this.#r;
    const name = (text(record.name) ?? '').replace(/[\r\n]+/g, ' ').trim();
    log.meta('title', name, { native: record }, 'user');
    log.sink.facts(name === '' ? { title: null, title_from: 'none' } : { title: name, title_from: 'user' });
  }

  /** The end of what there is now: where the session goes on, and whether anything was understood. */
  finish(): void {
    const { log, accounts } = this.#r;
    const { graph } = log;
    if (this.added > 0 && graph.choice >= 0 && graph.core(graph.last) !== graph.core(graph.choice))
      log.warn(
        'ambiguous-leaf',
        'The last record of the file hangs on an older part of the session and says nothing; the session goes on from its newest message. Pi itself would go on from the older part.',
      );
    const leaf = graph.unsaidLeaf();
    if (leaf !== null) log.leaf(leaf);
    const unknown = Object.values(accounts.unknown).reduce((sum, n) => sum + n, 0);
    if (graph.conversation === 0 && unknown > 0)
      log.warn(
        'no-turns-recognised',
        `None of the ${accounts.records} records is a message that we know: probably a newer version of Pi wrote them.`,
      );
  }
}

function secondsOf({ timestamp }: Json): number | null {
  return typeof timestamp === 'string' ? Date.parse(timestamp) / 1000 : null;
}
