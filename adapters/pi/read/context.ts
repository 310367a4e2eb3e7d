import type { ContextCompacted } from '../../../src/shared/events.ts';
import { mapContent } from '../content.ts';
import { isObject, type Json, number, text } from '../json.ts';
import { pack } from '../pack.ts';
import { answerAgain } from './answers.ts';
import { nativeOf } from './envelope.ts';
import type { Reading } from './state.ts';
import { usage } from './usage.ts';

/** A `compaction`: the model goes on with its summary and the entries of the path that it keeps. */
export function compaction(r: Reading, record: Json): void {
  const { log } = r;
  const { graph } = log;
  const kept = graph.path(log.at, graph.keptFrom(record, log.at));
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
 * A `context_edit`: what an earlier entry gives to the model is left out or replaced from now on. The entry stays where it is;
 * a `context.compacted` without a summary, marked `edit`, lists what the model sees instead.
 */
export function contextEdit(r: Reading, record: Json): void {
  const { log, store } = r;
  const { graph } = log;
  const value = pack(record, store);
  const target = text(record.targetId);
  const placed = target === undefined ? undefined : graph.records.get(target);
  if (placed === undefined || !graph.isOn(placed.start, log.at)) {
    log.warn('dangling-parent', `The entry ${JSON.stringify(target)} that is edited here is not on this branch.`);
    log.meta('record', value);
    return;
  }
  const { start } = placed;
  // what is not sent cannot be edited: answers that broke off, which Pi marks so before it tries again
  const sent = graph.isSent(start);
  const change = sent && isObject(record.replacement) ? replacedBy(r, start, record.replacement) : NOTHING;
  const next = log.sink.next + 1;
  log.meta('record', value, { edits: { of: start, by: Array.from({ length: change.count }, (_, i) => next + i) } });
  change.put();
  if (!sent) return;
  const event: ContextCompacted = { trigger: 'auto', summary: [], kept: graph.context(log.at), edit: true };
  log.put('context.compacted', 'system', event);
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
