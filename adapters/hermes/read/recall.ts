import type { SessionEvent, ToolCall, ToolResult } from '../../../src/shared/events.ts';
import { isObject, type Json } from '../json.ts';
import { canBeLeaf, isTree } from './log.ts';
import type { OpenCall } from './mapper.ts';

/** What earlier captures stored of one row. */
export interface KnownRow {
  /** its first event, and what that hangs on */
  seq: number;
  parent: number | null;
  /** newest event of the tree, and newest that can be a leaf */
  last: number | null;
  leaf: number | null;
  version: unknown;
  copy: boolean;
  active: boolean;
  compacted: boolean;
  /** of a result: the row of its call */
  call: number | null;
}

/** What of a stored log the next capture goes on from. */
export interface Recalled {
  rows: Map<number, KnownRow>;
  open: Map<string, OpenCall>;
  /** the event that decides the branch: the last of the conversation, or what a later leaf names */
  leaf: number | null;
  start: number | null;
}

export function nothing(): Recalled {
  return { rows: new Map(), open: new Map(), leaf: null, start: null };
}

/** Reads what is stored of a session; rows that were written again count as they were written last. */
export async function recall(stored: AsyncIterable<SessionEvent>): Promise<Recalled> {
  const known = nothing();
  for await (const event of stored) {
    if (event.origin?.agent !== 'hermes') continue;
    if (event.type === 'session.start') known.start = event.seq;
    if (event.type === 'meta') meta(known, event);
    if (event.origin.native_id !== null) row(known, event);
    calls(known, event, event.origin.native_seq);
  }
  return known;
}

function row(known: Recalled, event: SessionEvent): void {
  const origin = event.origin!;
  const id = origin.native_seq;
  const before = known.rows.get(id);
  const last = isTree(event.type) ? event.seq : null;
  const leaf = canBeLeaf(event.type) ? event.seq : null;
  if (leaf !== null) known.leaf = leaf;
  if (origin.part !== undefined && before !== undefined) {
    before.last = last ?? before.last;
    before.leaf = leaf ?? before.leaf;
    return;
  }
  const flags = flagsOf(event);
  known.rows.set(id, {
    seq: event.seq,
    parent: event.parent_seq,
    last,
    leaf,
    version: origin.version,
    copy: isObject(event.payload.value) && event.payload.value.copies !== undefined,
    active: flags.active !== 0,
    compacted: flags.compacted === 1,
    call: event.type === 'tool.result' ? (known.open.get(String(event.payload.call_id))?.row ?? null) : null,
  });
}

/** The flags as they were when the row was written. */
function flagsOf({ type, payload }: SessionEvent): Json {
  const holder = type === 'meta' ? payload.value : payload.native;
  return isObject(holder) && isObject(holder.row) ? holder.row : {};
}

/** Flags that were told later, and the leaf. */
function meta(known: Recalled, { payload }: SessionEvent): void {
  const { value } = payload;
  if (payload.key === 'leaf' && typeof value === 'number') known.leaf = value;
  if (payload.key !== 'record' || !isObject(value) || !Array.isArray(value.flags)) return;
  for (const entry of value.flags as unknown[]) {
    if (!Array.isArray(entry)) continue;
    const [id, active, compacted] = entry as number[];
    const one = known.rows.get(id!);
    if (one === undefined) continue;
    one.active = active === 1;
    one.compacted = compacted === 1;
  }
}

function calls({ open }: Recalled, { type, payload, seq }: SessionEvent, id: number): void {
  if (type === 'tool.call') {
    const { call_id, name, arguments: args } = payload as unknown as ToolCall;
    open.set(call_id, { row: id, seq, name, arguments: args });
  } else if (type === 'tool.result') open.delete((payload as unknown as ToolResult).call_id);
  else if (type === 'message.user' || type === 'message.assistant' || type === 'message.thinking') {
    const response = payload.response;
    if (type === 'message.user' || response !== undefined) open.clear();
  }
}
