import type { ContentBlock, ToolResult } from '../../../src/shared/events.ts';
import { cutText, type StoreArtifact } from '../../io/cut-text.ts';
import { joined, mapContent } from '../content.ts';
import { type Json, number, text } from '../json.ts';
import { pack } from '../pack.ts';
import { derivedOf, endingOf } from '../tools.ts';
import { nativeMessage } from './envelope.ts';
import { ACTOR } from './log.ts';
import type { Reading } from './state.ts';
import { usage } from './usage.ts';

export function result(r: Reading, record: Json, body: Json): void {
  const { log, store } = r;
  const id = String(body.toolCallId ?? '');
  const call = log.graph.calls.get(id);
  if (call === undefined)
    log.warn('orphan-result', `The result of ${id === '' ? 'a call without id' : id} has no open call before it.`, {
      count: 1,
    });
  const { content: whole, native } = mapContent(body.content, store);
  const output = joined(whole);
  const shown = shorten(whole, output, store);
  const name = call?.name ?? text(body.toolName) ?? '';
  const ending = endingOf(name, output);
  const duration = number(body.durationMs);
  const failed = body.isError === true;
  const mapped = ['role', 'content', 'details'];
  if (typeof body.toolCallId === 'string' && id !== '') mapped.push('toolCallId');
  if (typeof body.isError === 'boolean') mapped.push('isError');
  if (duration !== undefined) mapped.push('durationMs');
  const kept = nativeMessage(record, log, mapped);
  const event: ToolResult = {
    call_id: id,
    content: shown.content,
    is_error: failed,
    ...(ending.exit_code === undefined ? {} : { exit_code: ending.exit_code }),
    ...(duration === undefined ? {} : { duration_ms: duration }),
    ...shown.truncated,
    ...(body.details === undefined ? {} : { structured: pack(body.details, store, output) }),
    closed: ending.interrupted ? 'interrupted' : 'ran',
    native: { ...kept, ...native, ...shown.native, ...(body.isError === undefined ? { $noError: true } : {}) },
  };
  log.put('tool.result', 'system', event);
  usage(r, body.usage, 'tool');
  if (call === undefined) return;
  const derived = derivedOf(name, call.args, {
    output,
    details: body.details,
    failed,
    ...(ending.exit_code === undefined ? {} : { exit_code: ending.exit_code }),
    ...(duration === undefined ? {} : { duration_ms: duration }),
  });
  if (derived !== null) log.aside(derived.type, ACTOR, shortDiff(derived.payload, store), [`seq:${call.seq}`]);
}

function shortDiff<T extends object>(payload: T, store: StoreArtifact): T {
  if (!('diff' in payload) || typeof payload.diff !== 'string') return payload;
  return { ...payload, diff: cutText(payload.diff, store).text };
}

/** A long output keeps head and tail. `$lengths`: of the texts that the artifact holds, joined by line feeds. */
function shorten(
  content: ContentBlock[],
  output: string,
  store: StoreArtifact,
): { content: ContentBlock[]; truncated?: Pick<ToolResult, 'truncated'>; native?: Json } {
  const { text, truncated } = cutText(output, store);
  if (truncated === undefined) return { content };
  const lengths = content.map((block) => (block.kind === 'text' ? block.text.length : -1));
  const first = lengths.findIndex((length) => length >= 0);
  const blocks = content.flatMap((block, i): ContentBlock[] => {
    if (block.kind !== 'text') return [block];
    return i === first ? [{ kind: 'text', text }] : [];
  });
  return { content: blocks, truncated: { truncated }, native: { $lengths: lengths } };
}
