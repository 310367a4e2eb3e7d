import type { ContentBlock, SessionEvent } from '../../src/shared/events.ts';
import { branchSummary, unmapBlock, unmapContent } from './content.ts';
import { isObject, type Json } from './json.ts';
import { ownMembers, type ReadArtifact, textOf, unpack } from './pack.ts';

/**
 * Writes the native records of a session from its events: the proof that capture loses nothing, and the way back to Pi. Records
 * come in the order of their lines; what redaction replaced stays replaced.
 */
export async function* rebuildRecords(
  events: AsyncIterable<SessionEvent> | Iterable<SessionEvent>,
  read: ReadArtifact,
): AsyncGenerator<{ line: number; record: unknown }> {
  const ids = new Map<number, string | null>();
  let group: SessionEvent[] = [];
  for await (const event of events) {
    if (event.origin === null) continue;
    ids.set(event.seq, event.origin.native_id);
    if (event.origin.part === undefined && group.length > 0) {
      yield await recordOf(group, ids, read);
      group = [];
    }
    group.push(event);
  }
  if (group.length > 0) yield await recordOf(group, ids, read);
}

async function recordOf(
  group: readonly SessionEvent[],
  ids: ReadonlyMap<number, string | null>,
  read: ReadArtifact,
): Promise<{ line: number; record: unknown }> {
  const first = group[0] as SessionEvent;
  const { payload, type } = first;
  const line = first.origin!.native_seq;
  if (type === 'meta') {
    const whole = payload.key === 'record' || payload.key === 'unknown' ? payload.value : payload.native;
    return { line, record: await unpack(whole, read) };
  }
  const native = await nativeOf(first, read);
  if (type === 'session.start') return { line, record: header(first, native) };
  const record: Json = { ...envelope(first, native, ids), ...ownMembers(native) };
  if (type === 'context.compacted') return { line, record: compaction(record, payload) };
  if (native.$entry === 'branch_summary')
    return { line, record: { ...record, type: 'branch_summary', ...summaryOf(payload, native) } };
  if (native.$entry === 'custom_message')
    return { line, record: { ...record, type: 'custom_message', ...(await contentOf(first, native, read)) } };
  const message = { ...ownMembers(record.message), ...(await body(group, native, read)) };
  return { line, record: { ...record, type: 'message', message } };
}

async function nativeOf({ payload }: SessionEvent, read: ReadArtifact): Promise<Json> {
  const native = await unpack(payload.native, read);
  return isObject(native) ? native : {};
}

function header(event: SessionEvent, native: Json): Json {
  const { $cwd: odd, ...kept } = native;
  const { cwd } = event.payload;
  const place = typeof cwd === 'string' ? { cwd } : odd === undefined ? {} : { cwd: odd };
  return { type: 'session', ...ownMembers(kept), ...place };
}

function envelope(event: SessionEvent, native: Json, ids: ReadonlyMap<number, string | null>): Json {
  const odd = isObject(native.$env) ? native.$env : {};
  const { native_id: id, native_ts } = event.origin as NonNullable<SessionEvent['origin']>;
  const { $orphan: orphan, ...kept } = odd;
  const record: Json = {};
  if (id !== null) {
    record.id = id;
    if (orphan !== true) record.parentId = event.parent_seq === null ? null : (ids.get(event.parent_seq) ?? null);
  }
  if (native_ts !== undefined) record.timestamp = native_ts;
  else if (event.ts !== null) record.timestamp = new Date(Math.round(event.ts * 1000)).toISOString();
  return { ...record, ...kept };
}

function compaction(record: Json, { summary, tokens_before: tokens }: Json): Json {
  const [said] = summary as ContentBlock[];
  return {
    ...record,
    type: 'compaction',
    ...(said?.kind === 'text' ? { summary: said.text } : {}),
    ...(tokens === undefined ? {} : { tokensBefore: tokens }),
  };
}

function summaryOf({ content }: Json, { $summary: given }: Json): Json {
  const [said] = content as ContentBlock[];
  return given === true && said?.kind === 'text' ? { summary: branchSummary(said.text) } : {};
}

async function contentOf({ payload }: SessionEvent, native: Json, read: ReadArtifact): Promise<Json> {
  const content = await unmapContent(payload.content as ContentBlock[], native, read);
  return content === undefined ? {} : { content };
}

/** What of a message stands in its events. */
async function body(group: readonly SessionEvent[], native: Json, read: ReadArtifact): Promise<Json> {
  const first = group[0] as SessionEvent;
  const { type, payload } = first;
  if (type === 'message.user') return { role: 'user', ...(await contentOf(first, native, read)) };
  if (type === 'tool.result') return { role: 'toolResult', ...(await result(first, native, read)) };
  if (type !== 'message.system') return { role: 'assistant', ...(await answer(group, native, read)) };
  const content = payload.content as ContentBlock[];
  const texts = content.map((block) => (block.kind === 'text' ? block.text : ''));
  if (native.$summary !== undefined) return summaryOf(payload, native);
  if (Array.isArray(native.$sections)) return { sections: sectionsOf(native.$sections, texts) };
  if (Array.isArray(native.$output)) {
    const [at, length] = native.$output as [number, number];
    return { output: (texts[0] ?? '').slice(at, at + length) };
  }
  return payload.about === 'notice' ? contentOf(first, native, read) : {};
}

function sectionsOf(sections: unknown[], texts: readonly string[]): Json {
  const entries = (sections as [string, number | { $value: unknown }][]).map(([name, value]) => [
    name,
    typeof value === 'number' ? texts[value] : value.$value,
  ]);
  return Object.fromEntries(entries) as Json;
}

async function answer(group: readonly SessionEvent[], native: Json, read: ReadArtifact): Promise<Json> {
  const { payload } = group[0] as SessionEvent;
  const model = payload.model === undefined ? {} : { model: payload.model };
  if (native.$content !== undefined || native.$string !== undefined)
    return { ...model, ...(await contentOf(group[0] as SessionEvent, native, read)) };
  const parts = group.filter(({ type }) => type !== 'meta');
  return { ...model, content: await Promise.all(parts.map((event) => partOf(event, read))) };
}

async function partOf(event: SessionEvent, read: ReadArtifact): Promise<unknown> {
  const { type, payload } = event;
  const kept = (await nativeOf(event, read)).$block;
  if (type === 'message.thinking') return thinking(payload, kept);
  if (type === 'tool.call') return call(payload, kept, read);
  return unmapBlock((payload.content as ContentBlock[])[0]!, kept, read);
}

function thinking({ text, opaque }: Json, kept: unknown): Json {
  return {
    type: 'thinking',
    ...(text === undefined ? {} : { thinking: text }),
    ...(opaque === undefined ? {} : { thinkingSignature: opaque }),
    ...ownMembers(kept),
  };
}

async function call({ call_id: id, name, arguments: args }: Json, kept: unknown, read: ReadArtifact): Promise<Json> {
  const block: Json = { type: 'toolCall', id, name, arguments: args, ...ownMembers(kept) };
  if (!isObject(kept) || !Array.isArray(kept.$arguments)) return block;
  if (kept.$arguments.length === 0) delete block.arguments;
  else block.arguments = await unpack(kept.$arguments[0], read);
  return block;
}

async function result({ payload }: SessionEvent, native: Json, read: ReadArtifact): Promise<Json> {
  const { content, output } = await whole(payload, native, read);
  const message = isObject(native.message) ? native.message : {};
  const written = await unmapContent(content, native, read);
  return {
    ...(Object.hasOwn(message, 'toolCallId') || payload.call_id === '' ? {} : { toolCallId: payload.call_id }),
    ...(written === undefined ? {} : { content: written }),
    ...(Object.hasOwn(message, 'isError') || native.$noError === true ? {} : { isError: payload.is_error }),
    ...(payload.duration_ms === undefined ? {} : { durationMs: payload.duration_ms }),
    ...(payload.structured === undefined ? {} : { details: await unpack(payload.structured, read, output) }),
  };
}

/** The blocks of an output before it was cut, and its whole text. */
async function whole(
  payload: Json,
  native: Json,
  read: ReadArtifact,
): Promise<{ content: ContentBlock[]; output: string }> {
  const content = payload.content as ContentBlock[];
  const { truncated } = payload;
  if (!Array.isArray(native.$lengths) || !isObject(truncated))
    return { content, output: content.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n') };
  const output = textOf(await read(String(truncated.artifact)));
  const others = content.filter((block) => block.kind !== 'text');
  let at = 0;
  const blocks = (native.$lengths as number[]).map((length): ContentBlock => {
    if (length < 0) return others.shift()!;
    const text = output.slice(at, at + length);
    at += length + 1;
    return { kind: 'text', text };
  });
  return { content: blocks, output };
}
