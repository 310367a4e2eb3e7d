import type { ContentBlock, SessionEvent, ToolCall } from '../../src/shared/events.ts';
import { truncatedOf } from '../conversation/blocks.ts';
import { isObject, type Json, pythonJson } from './json.ts';
import { type Part, STRUCTURED } from './read/content.ts';
import { type Call, entryOf, type Reasoning } from './read/message.ts';

/** Bytes of an artifact. */
type ReadArtifact = (ref: string) => Promise<Uint8Array>;

type Log = AsyncIterable<SessionEvent> | Iterable<SessionEvent>;

/** A row of the database, by its table. Columns that are NULL, or have their usual value, are left out. */
export interface Row {
  table: 'sessions' | 'messages';
  row: Json;
}

/**
 * Writes the rows of a session from its events: the proof that capture loses nothing, and the way back to the same agent. The
 * log is read twice: what a row has become is told behind it. The session's own row comes first.
 */
export async function* rebuildRows(log: Log, read: ReadArtifact): AsyncGenerator<Row> {
  const plan = await planOf(log, read);
  yield { table: 'sessions', row: given(plan.session) };
  const rebuilder = new Rebuilder(plan.copied, read);
  for await (const group of groupsOf(log)) {
    const [first] = group as [SessionEvent];
    const id = first.origin!.native_seq;
    const isLast = plan.last.get(id) === first.seq;
    if (!isLast && !group.some(({ seq }) => plan.copied.has(seq))) continue;
    const row = await rebuilder.row(group);
    if (isLast) yield { table: 'messages', row: asItIs(row, plan.flags.get(id)) };
  }
}

interface Plan {
  session: Json;
  /** first event of a row as it was told last, by its id */
  last: Map<number, number>;
  /** what became of a row later, by its id */
  flags: Map<number, readonly [active: number, compacted: number]>;
  /** events that a later row repeats */
  copied: Set<number>;
}

async function planOf(log: Log, read: ReadArtifact): Promise<Plan> {
  const plan: Plan = { session: {}, last: new Map(), flags: new Map(), copied: new Set() };
  for await (const event of log) {
    const { origin, payload, refs, seq } = event;
    if (origin === null) continue;
    if (origin.native_id === null) Object.assign(plan.session, await ownColumns(event, read, plan.flags));
    else if (origin.part === undefined) {
      plan.last.set(origin.native_seq, seq);
      plan.flags.delete(origin.native_seq);
    }
    if (isObject(payload.value) && payload.value.copies === 1) plan.copied.add(Number(refs[0]?.slice('seq:'.length)));
  }
  return plan;
}

/** The events of one row after the other. */
async function* groupsOf(log: Log): AsyncGenerator<SessionEvent[]> {
  let group: SessionEvent[] = [];
  for await (const event of log) {
    if (event.origin === null || event.origin.native_id === null) continue;
    if (event.origin.part === undefined) {
      if (group.length > 0) yield group;
      group = [];
    }
    group.push(event);
  }
  if (group.length > 0) yield group;
}

function asItIs(row: Json, flags: readonly [number, number] | undefined): Json {
  if (flags !== undefined) [row.active, row.compacted] = flags;
  if (row.active === 1) delete row.active;
  if (row.compacted === 0) delete row.compacted;
  return row;
}

async function ownColumns(event: SessionEvent, read: ReadArtifact, flags: Plan['flags']): Promise<Json> {
  const { type, payload } = event;
  if (type === 'session.start' && isObject(payload.native)) return payload.native.row as Json;
  if (type === 'message.system') return { system_prompt: await textOf(event, read) };
  if (type !== 'meta' || payload.key !== 'record' || !isObject(payload.value)) return {};
  const { table, row, flags: changed } = payload.value;
  for (const [id, ...both] of Array.isArray(changed) ? (changed as [number, number, number][]) : [])
    flags.set(id, both);
  return table === 'sessions' && isObject(row) ? row : {};
}

class Rebuilder {
  /** rows that later ones repeat, by the events that those name */
  readonly #rows = new Map<number, Json>();
  readonly #copied: ReadonlySet<number>;
  readonly #read: ReadArtifact;

  constructor(copied: ReadonlySet<number>, read: ReadArtifact) {
    this.#copied = copied;
    this.#read = read;
  }

  /** One row from its events, in the order of their parts. */
  async row(events: readonly SessionEvent[]): Promise<Json> {
    const row = await this.#build(events);
    for (const { seq } of events) if (this.#copied.has(seq)) this.#rows.set(seq, row);
    return row;
  }

  async #build(events: readonly SessionEvent[]): Promise<Json> {
    const first = events[0]!;
    const record = first.type === 'meta' && isObject(first.payload.value) ? first.payload.value : null;
    const native = record ?? (isObject(first.payload.native) ? first.payload.native : {});
    const { list, parts, ...columns } = isObject(native.row) ? native.row : {};
    const shape = { list: list === true, natives: Array.isArray(parts) ? (parts as (Json | null)[]) : [] };
    const row: Json = {
      id: first.origin!.native_seq,
      role: record?.role ?? roleOf(first.type),
      timestamp: first.origin?.native_ts ?? first.ts,
      ...(record === null ? await this.#mapped(events, shape) : await this.#kept(first, record, shape)),
    };
    for (const [name, value] of Object.entries(columns)) row[name] = columnOf(name, value);
    return given(row);
  }

  async #mapped(events: readonly SessionEvent[], shape: Shape): Promise<Json> {
    const row: Json = {};
    const calls: Call[] = [];
    for (const event of events) {
      const { payload } = event;
      switch (event.type) {
        case 'message.user':
        case 'message.assistant':
        case 'message.system':
        case 'context.compacted':
          row.content ??= await this.#content(event, shape);
          break;
        case 'tool.result':
          row.content = await this.#content(event, shape);
          row.tool_call_id = payload.call_id === '' ? null : payload.call_id;
          break;
        case 'message.thinking': {
          const { text = null, opaque = null, native } = payload as { text?: string; opaque?: Json; native?: Json };
          const own = isObject(native) && isObject(native.reasoning) ? native.reasoning : {};
          Object.assign(row, reasoningColumns({ text, opaque, native: own }));
          break;
        }
        case 'tool.call': {
          const { call_id: id, name, arguments: args } = payload as unknown as ToolCall;
          calls.push({ id, name, arguments: args });
        }
      }
    }
    if (calls.length > 0) row.tool_calls = pythonJson(calls.map(entryOf));
    return row;
  }

  /** A row that was kept as a record: whole, or as a copy of others. */
  async #kept(event: SessionEvent, { copies, content, reasoning }: Json, shape: Shape): Promise<Json> {
    const own = isObject(reasoning) ? reasoningColumns(reasoning as unknown as Reasoning) : {};
    if (Array.isArray(content)) return { ...own, content: await this.#encode(content as Part[], shape) };
    if (copies !== 1) return own;
    const original = this.#rows.get(Number(event.refs[0]?.slice('seq:'.length)));
    const { content: said, tool_calls, tool_call_id } = original ?? {};
    return { ...own, content: said, tool_calls, tool_call_id };
  }

  async #content(event: SessionEvent, shape: Shape): Promise<string | null> {
    const { content, summary } = event.payload;
    const blocks = (event.type === 'context.compacted' ? summary : content) as ContentBlock[];
    if (truncatedOf(event) !== undefined) return textOf(event, this.#read);
    return this.#encode(blocks, shape);
  }

  async #encode(blocks: readonly (ContentBlock | Part)[], { list, natives }: Shape): Promise<string | null> {
    if (!list) {
      const [only] = blocks;
      return only === undefined ? null : 'text' in only ? only.text : null;
    }
    const parts: unknown[] = [];
    for (const [i, block] of blocks.entries()) parts.push(await this.#part(block, natives[i] ?? null));
    const whole = blocks.length === 1 && blocks[0]!.kind === 'opaque' && !isObject(parts[0]) ? parts[0] : parts;
    return STRUCTURED + pythonJson(whole);
  }

  async #part(block: ContentBlock | Part, native: Json | null): Promise<unknown> {
    if (block.kind === 'opaque') return block.native;
    if (block.kind === 'text')
      return native === null ? { type: 'text', text: block.text } : withText(native, block.text);
    const bytes = Buffer.from(await this.#read(block.artifact));
    const url = `data:${block.media_type};base64,${bytes.toString('base64')}`;
    if (native === null) return { type: 'image_url', image_url: { url } };
    return isObject(native.image_url)
      ? { ...native, image_url: { url, ...native.image_url } }
      : { ...native, image_url: url };
  }
}

interface Shape {
  /** the content was structured */
  list: boolean;
  natives: (Json | null)[];
}

function withText({ type, ...rest }: Json, text: string): Json {
  return { ...(type === undefined ? {} : { type }), text, ...rest };
}

async function textOf(event: SessionEvent, read: ReadArtifact): Promise<string> {
  const cut = truncatedOf(event);
  if (cut !== undefined) return new TextDecoder().decode(await read(cut.artifact));
  const [block] = event.payload.content as { text?: string }[];
  return block?.text ?? '';
}

function reasoningColumns({ text, opaque, native }: Reasoning): Json {
  const columns: Json = { reasoning: text, ...native };
  if (native.reasoning_content === true) columns.reasoning_content = text;
  for (const [name, value] of Object.entries(opaque ?? {})) columns[name] = pythonJson(value);
  return columns;
}

function roleOf(type: string): string {
  if (type === 'message.user' || type === 'context.compacted') return 'user';
  if (type === 'tool.result') return 'tool';
  return type === 'message.system' ? 'system' : 'assistant';
}

/** JSON columns that were kept parsed, and bytes. */
function columnOf(name: string, value: unknown): unknown {
  if (isObject(value) && typeof value.$blob === 'string') return Buffer.from(value.$blob, 'hex');
  const isJson = (name === 'tool_calls' || name === 'codex_message_items') && typeof value !== 'string';
  return isJson ? pythonJson(value) : value;
}

const given = (row: Json): Json =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined));
