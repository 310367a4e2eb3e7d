import type { ContextCompacted } from '../../../src/shared/events.ts';
import { mapContent } from '../content.ts';
import { isObject, type Json, number, text } from '../json.ts';
import { pack } from '../pack.ts';
import { answerAgain } from './answers.ts';
import { nativeOf } from './envelope.ts';
import { keyOf } from './graph.ts';
import type { Reading } from './state.ts';
import { usage } from './usage.ts';

/**
 * A `compaction`: the model goes on with its summary and the entries of the path from `firstKeptEntryId` on. An id that is
 * not there keeps nothing, as does the record's own. Version 1 names a line instead (`firstKeptEntryIndex`, the header is 0).
 */
export function compaction(r: Reading, record: Json): void {
  const { log } = r;
  const { graph } = log;
  const index = number(record.firstKeptEntryIndex);
  const key = text(record.firstKeptEntryId) ?? (index === undefined || index === 0 ? undefined : keyOf(null, index));
  const first = key === undefined ? undefined : graph.records.get(key);
  const kept = first === undefined ? [] : graph.path(log.at, first.start);
  const summary = text(record.summary);
  const tokens = number(record.tokensBefore);
  const mapped = [...(summary === undefined ? [] : ['summary']), ...(tokens === undefined ? [] : ['tokensBefore'])];
  const event: ContextCompacted = {
    trigger: 'auto',
    summary: summary === undefined ? [] : [{ kind: 'text', text: summary }],
    kept,
    ...(tokens === undefined ? {} : { tokens_before: tokens }),
    native: nativeOf(record, log, mapped),
  };
  log.put('context.compacted', 'system', event);
  usage(r, record.usage, 'summary');
}

/**
 * A `context_edit`: what an earlier entry gives to the model is left out or replaced. When that entry is the last thing said,
 * the session goes on from before it, and it stays as a dead end. Else a `context.compacted` without summary lists what the
 * model sees from now on.
 */
export function contextEdit(r: Reading, record: Json): void {
  const { log, store } = r;
  const { graph } = log;
  const value = pack(record, store);
  const target = text(record.targetId);
  const placed = target === undefined ? undefined : graph.records.get(target);
  if (placed === undefined) {
    log.warn('dangling-parent', `The entry ${String(target)} that is edited here is not in this file.`);
    log.meta('record', value);
    return;
  }
  const start = editedStart(r, placed.start);
  const last = graph.sent(log.at);
  const change = isObject(record.replacement) ? replacedBy(r, start, record.replacement) : NOTHING;
  if (!graph.isSent(start) && change.count === 0) {
    log.meta('record', value, { edits: { of: start, by: [] } });
    return;
  }
  const isLast = last >= 0 && graph.startOf(last) === start;
  if (isLast) log.moveTo(graph.parentOf(start));
  const next = log.sink.next + 1;
  log.meta('record', value, { edits: { of: start, by: Array.from({ length: change.count }, (_, i) => next + i) } });
  change.put();
  if (isLast) return;
  const kept = graph.context(log.at);
  const event: ContextCompacted & { edit: true } = { trigger: 'auto', summary: [], kept, edit: true };
  log.put('context.compacted', 'system', event);
}

/** An entry that was edited before stands where its replacement stands. */
function editedStart({ log }: Reading, start: number): number {
  const [first] = log.graph.edits.get(start) ?? [];
  return first === undefined || log.graph.isOn(start, log.at) ? start : log.graph.startOf(first);
}

/** Events that stand for an edited entry: its own kind with other content. */
interface Change {
  count: number;
  put(): void;
}
const NOTHING: Change = { count: 0, put: () => {} };

function replacedBy(r: Reading, start: number, { content }: Json): Change {
  const { log, store } = r;
  const type = log.graph.typeOf(start);
  if (ANSWER.has(type)) {
    const blocks: unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: String(content) }];
    return { count: blocks.length, put: () => answerAgain(r, blocks) };
  }
  const { content: blocks } = mapContent(content, store);
  const one = (actor: string, payload: object): Change => ({ count: 1, put: () => log.put(type, actor, payload) });
  if (type === 'message.user') return one('user', { content: blocks, via: 'prompt' });
  if (type === 'message.system')
    return one('system', { content: blocks, role: 'user', about: 'notice', to_model: true });
  const call_id = log.graph.answered.get(start);
  return call_id === undefined ? NOTHING : one('system', { call_id, content: blocks, is_error: false, closed: 'ran' });
}

const ANSWER: ReadonlySet<string> = new Set(['message.assistant', 'message.thinking', 'tool.call']);
