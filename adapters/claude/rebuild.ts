import type { ContentBlock, SessionEvent } from '../../src/shared/events.ts';
import { type Mapped, unmapBlock, unmapContent } from './content.ts';
import { expand, type ReadArtifact } from './cut.ts';
import { OWN_RESPONSE } from './map-assistant.ts';
import { REPEATS } from './map-line.ts';
import { ownMembers } from './native.ts';
import { isObject, type Json, setOwn } from './record.ts';
import { writeTime } from './time.ts';
import { unmapUsage } from './usage.ts';

/**
 * Writes the native records of a session from its events: the proof that capture loses nothing, and the way back to the
 * same agent. Records come in the order of their lines; what redaction replaced stays replaced.
 */
export async function* rebuildRecords(
  events: AsyncIterable<SessionEvent> | Iterable<SessionEvent>,
  read: ReadArtifact,
): AsyncIterable<{ line: number; record: Json }> {
  const rebuilder = new Rebuilder(read);
  let group: SessionEvent[] = [];
  for await (const event of events) {
    const uuid = event.origin?.native_id ?? null;
    rebuilder.uuids.set(event.seq, uuid);
    rebuilder.parents.set(event.seq, event.origin === null ? event.parent_seq : null);
    if (event.type === 'session.start' && isObject(event.payload.native)) rebuilder.defaults = event.payload.native;
    if (event.origin === null) continue;
    const stands = event.type === 'meta' ? seqOf(event.refs[0]) : undefined;
    if (stands !== undefined) rebuilder.uuids.set(stands, uuid);
    const line = group[0]?.origin?.native_seq;
    if (line !== undefined && event.origin.part === undefined) {
      yield { line, record: await rebuilder.record(group) };
      group = [];
    }
    group.push(event);
  }
  const line = group[0]?.origin?.native_seq;
  if (line !== undefined) yield { line, record: await rebuilder.record(group) };
}

/** Number of the event that a reference names. */
export function seqOf(ref: string | undefined): number | undefined {
  return ref?.startsWith('seq:') === true ? Number(ref.slice(4)) : undefined;
}

class Rebuilder {
  readonly uuids = new Map<number, string | null>();
  /** parents of events that are no record's own, to walk through them */
  readonly parents = new Map<number, number | null>();
  defaults: Json = {};
  private readonly read: ReadArtifact;
  /** the last line of each type that has no place in the chain */
  private readonly lines = new Map<unknown, Json>();
  private usage: { response: unknown; native: unknown } | undefined;

  constructor(read: ReadArtifact) {
    this.read = read;
  }

  /** One record from its events, in the order of their parts. */
  async record(events: readonly SessionEvent[]): Promise<Json> {
    const first = events[0] as SessionEvent;
    const { payload } = first;
    if (payload.key === 'unknown') return (await expand(payload.value, this.read, undefined)) as Json;
    if (first.type === 'meta') return this.kept(first);
    const native = isObject(payload.native) ? payload.native : {};
    const record = this.envelope(first, native, this.defaults);
    if (first.type === 'message.assistant' || first.type === 'message.thinking' || first.type === 'tool.call')
      return this.assistant(record, events, native);
    if (native.type === 'attachment') return this.attachment(record, first, native);
    if (record.type === 'system') return this.system(record, first);
    return this.user(record, events, native);
  }

  /** id, time, parent, defaults, and what was left over. */
  private envelope(event: SessionEvent, native: Json, defaults: Json, chain = true): Json {
    const record: Json = {};
    const absent = Array.isArray(native.$absent) ? (native.$absent as string[]) : [];
    for (const key in defaults) if (!absent.includes(key)) setOwn(record, key, defaults[key]);
    assign(record, ownMembers(native));
    const origin = event.origin as NonNullable<SessionEvent['origin']>;
    if (origin.native_id !== null) record.uuid = origin.native_id;
    const time = writeTime(event.ts, origin.native_ts);
    if (time !== undefined) record.timestamp = time;
    if (chain && record.parentUuid === undefined && !absent.includes('parentUuid'))
      record.parentUuid = this.parentUuid(event.parent_seq);
    return record;
  }

  private parentUuid(seq: number | null): string | null {
    let at = seq;
    while (at !== null) {
      const uuid = this.uuids.get(at);
      if (typeof uuid === 'string') return uuid;
      at = this.parents.get(at) ?? null;
    }
    return null;
  }

  private async kept(event: SessionEvent): Promise<Json> {
    const { payload } = event;
    const title = payload.key === 'title';
    const value = (title ? payload.native : payload.value) as Json;
    if (REPEATS in value) return this.lines.get(value[REPEATS]) ?? {};
    const chain = event.origin?.native_id !== null || value.type === 'attachment';
    const { sessionId } = this.defaults;
    const defaults = chain ? this.defaults : sessionId === undefined ? {} : { sessionId };
    const record = this.envelope(event, value, defaults, chain);
    const whole = (await expand(record, this.read, undefined)) as Json;
    if (title) whole[whole.type === 'custom-title' ? 'customTitle' : 'aiTitle'] = payload.value;
    if (!chain) this.lines.set(whole.type, whole);
    return whole;
  }

  private async assistant(record: Json, events: readonly SessionEvent[], native: Json): Promise<Json> {
    const { payload } = events[0] as SessionEvent;
    const inner = isObject(native.message) ? native.message : {};
    const { response } = payload;
    const message: Json = {};
    const absent = Array.isArray(inner.$absent) ? (inner.$absent as string[]) : [];
    for (const [key, value] of [
      ['role', 'assistant'],
      ['stop_sequence', null],
      ['type', 'message'],
    ] as const)
      if (!absent.includes(key)) message[key] = value;
    if (typeof response === 'string' && !response.startsWith(OWN_RESPONSE)) message.id = response;
    if (payload.model !== undefined) message.model = payload.model;
    if (payload.stop_reason !== undefined) message.stop_reason = payload.stop_reason;
    assign(message, ownMembers(inner));
    if (inner.$usage === 'same' && this.usage?.response === response) message.usage = this.usage?.native;
    else if (payload.synthetic !== true && (payload.usage !== undefined || isObject(inner.usage)))
      message.usage = unmapUsage(payload.usage as Json | undefined, inner.usage as Json | undefined);
    if (message.usage !== undefined) this.usage = { response, native: message.usage };
    const content = await this.blocks(events, native);
    if (content !== undefined) message.content = content;
    return { type: 'assistant', ...record, message };
  }

  private async blocks(events: readonly SessionEvent[], native: Json): Promise<unknown> {
    const first = events[0]?.payload.content as ContentBlock[] | undefined;
    if (native.$string === true) return (first?.[0] as { text: string } | undefined)?.text;
    if (native.$content === 'absent') return undefined;
    if (Array.isArray(native.$content)) return (native.$content as unknown[])[0];
    const blocks: unknown[] = [];
    for (const event of events) {
      const { payload } = event;
      const own = isObject(payload.native) && isObject(payload.native.$block) ? payload.native.$block : undefined;
      if (event.type === 'tool.call') blocks.push(callBlock(payload, own));
      else if (event.type === 'message.thinking') blocks.push(thinkingBlock(payload, own));
      else
        for (const block of payload.content as ContentBlock[])
          blocks.push(await unmapBlock(block, own, undefined, this.read));
    }
    return blocks;
  }

  private async attachment(record: Json, { type, payload }: SessionEvent, native: Json): Promise<Json> {
    const attachment = ownMembers((await expand(native.attachment, this.read, undefined)) as Json);
    const content = payload.content as ContentBlock[];
    const { rendered } = native;
    if (isObject(rendered) && typeof rendered.$texts === 'number') {
      const rest = Array.isArray(rendered.$rest) ? (rendered.$rest as (Json | null)[]) : [];
      record.rendered = content.map((block, i) => ({
        content: (block as { text: string }).text,
        ...ownMembers(rest[i] ?? {}),
      }));
    } else if (attachment.type === 'queued_command')
      attachment.prompt = await unmapContent(content, native as NonNullable<Mapped['native']>, this.read);
    record.attachment = attachment;
    return (await expand(record, this.read, undefined)) as Json & { type: typeof type };
  }

  private async system(record: Json, { payload }: SessionEvent): Promise<Json> {
    const [only] = payload.content as ContentBlock[];
    const whole = (await expand(record, this.read, undefined)) as Json;
    if (only?.kind === 'text' && whole.error === undefined) whole.content = only.text;
    return whole;
  }

  private async user(record: Json, events: readonly SessionEvent[], native: Json): Promise<Json> {
    const inner = isObject(native.message) ? native.message : {};
    const absent = Array.isArray(inner.$absent) ? (inner.$absent as string[]) : [];
    const message: Json = absent.includes('role') ? {} : { role: 'user' };
    assign(message, ownMembers(inner));
    const results = events.some((event) => event.type === 'tool.result');
    if (results) await this.results(record, message, events);
    else {
      const [first] = events as [SessionEvent];
      const content = (
        first.type === 'context.compacted' ? first.payload.summary : first.payload.content
      ) as ContentBlock[];
      message.content = await unmapContent(content, native as NonNullable<Mapped['native']>, this.read);
    }
    return { type: 'user', ...record, message };
  }

  private async results(record: Json, message: Json, events: readonly SessionEvent[]): Promise<void> {
    const blocks: unknown[] = [];
    for (const { type, payload } of events) {
      const native = (isObject(payload.native) ? payload.native : {}) as Json & NonNullable<Mapped['native']>;
      const content = await unmapContent(payload.content as ContentBlock[], native, this.read);
      if (type !== 'tool.result') {
        blocks.push(...(Array.isArray(content) ? content : [{ type: 'text', text: content }]));
        continue;
      }
      const kept = isObject(native.$block) ? native.$block : {};
      const block: Json = { type: 'tool_result', tool_use_id: payload.call_id, content, ...ownMembers(kept) };
      if (payload.is_error === true) block.is_error = true;
      if (kept.$noContent === true) delete block.content;
      blocks.push(block);
      if (payload.structured === undefined) continue;
      const only = Array.isArray(content) && content.length === 1 ? (content[0] as Json).text : content;
      const same = typeof only === 'string' ? only : undefined;
      record.toolUseResult = await expand(payload.structured, this.read, same);
    }
    message.content = blocks;
  }
}

function assign(target: Json, members: Json): void {
  for (const key in members) setOwn(target, key, members[key]);
}

function callBlock(payload: Json, own: Json | undefined): Json {
  const { $input } = own ?? {};
  const { call_id: id, name, arguments: input } = payload;
  const block: Json = { type: 'tool_use', id, name, input, ...ownMembers(own ?? {}) };
  if ($input === 'absent') delete block.input;
  else if (Array.isArray($input)) block.input = ($input as unknown[])[0];
  return block;
}

function thinkingBlock(payload: Json, own: Json | undefined): Json {
  if (payload.form === 'encrypted')
    return { type: 'redacted_thinking', data: payload.opaque, ...ownMembers(own ?? {}) };
  const signature = payload.opaque === undefined ? {} : { signature: payload.opaque };
  return { type: 'thinking', thinking: payload.text, ...signature, ...ownMembers(own ?? {}) };
}
