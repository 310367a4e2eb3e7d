import { canonicalJson } from '../../src/core/log/canonical-json.ts';
import { asArtifact, compact } from './cut.ts';
import { Usual, withOdd } from './native.ts';
import { isObject, type Json, type NativeRecord, text } from './record.ts';
import type { SessionState } from './state.ts';
import { oneLine, summaryTitle } from './titles.ts';

/** State lines that were seen or that the client's code knows. Others are kept too, and counted as unknown. */
const KNOWN: ReadonlySet<string> = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'agent_metadata',
  'ai-title',
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'attribution-snapshot',
  'content-replacement',
  'cost-state',
  'custom-title',
  'file-history-delta',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'queue-operation',
  'relocated',
  'speculation-accept',
  'summary',
  'tag',
  'task-summary',
  'tools-used',
  'worktree-state',
]);

/** The logs of requests repeat prompts and schemas: their long parts are artifacts. */
const REQUEST_PART: Record<string, string> = {
  'api-request': 'params',
  'api-request-blob': 'message',
  'api-request-shape': 'shape',
};

/** A line without a place in the chain: facts about the session, last one wins. False = its type is unknown. */
export function mapLine(state: SessionState, record: NativeRecord): boolean {
  const { type } = record;
  if (typeof type !== 'string' || !KNOWN.has(type)) return false;
  noteLine(state, type, record);
  const { log } = state;
  const value = valueOfLine(state, type, record);
  const payload: Json = isTitle(type, record) ? titlePayload(record, value) : { key: 'record', value };
  if (type !== 'queue-operation' && record.explicit !== true) {
    const told = repeatKey(payload, log.current.ts);
    if (state.repeats.get(type) === told) {
      log.put({ type: 'meta', actor: 'system', level: 0, payload: { key: 'record', value: { [REPEATS]: type } } });
      return true;
    }
    state.repeats.set(type, told);
  }
  const actor = type === 'custom-title' ? 'user' : 'system';
  log.put({ type: 'meta', actor, level: 0, payload });
  return true;
}

/** Member of a kept value that stands for a line which is the same as the last one of the type that it names. */
export const REPEATS = '$repeats';

/** What two state lines of a type must have in common for the second to be named alone: everything. */
export function repeatKey(payload: Json, ts: number | null): string {
  return `${ts} ${canonicalJson(payload)}`;
}

/** The record without its session's id where that is the usual one. */
function valueOfLine(state: SessionState, type: string, record: NativeRecord): Json {
  const { sessionId } = state.log.defaults;
  const usual = new Usual(['timestamp'], typeof sessionId === 'string' ? { sessionId } : {});
  const value = { ...withOdd(usual.rest(record), record) };
  const part = REQUEST_PART[type];
  if (part !== undefined && isObject(value[part])) {
    const parts: Json = {};
    for (const [key, item] of Object.entries(value[part])) parts[key] = asArtifact(item, state.store);
    value[part] = parts;
    return value;
  }
  return compact(value, { store: state.store }) as Json;
}

function isTitle(type: string, record: NativeRecord): boolean {
  return (
    (type === 'custom-title' && text(record.customTitle) !== undefined) ||
    (type === 'ai-title' && text(record.aiTitle) !== undefined)
  );
}

function titlePayload(record: NativeRecord, value: Json): Json {
  const field = record.type === 'custom-title' ? 'customTitle' : 'aiTitle';
  const { [field]: title, ...native } = value;
  return { key: 'title', native, value: typeof title === 'string' ? title : record[field] };
}

/** Takes the fact that a state line tells. */
export function noteLine(state: SessionState, type: string, record: NativeRecord): void {
  const { titles, log } = state;
  const { line, ts } = log.current;
  if (type === 'custom-title') titles.custom = oneLine(record.customTitle) ?? titles.custom;
  else if (type === 'ai-title') titles.ai = oneLine(record.aiTitle) ?? titles.ai;
  else if (type === 'summary')
    state.summaries.push({ leaf: text(record.leafUuid), title: summaryTitle(record.summary) });
  else if (type === 'last-prompt') {
    titles.last = oneLine(record.lastPrompt) ?? titles.last;
    const leaf = text(record.leafUuid);
    if (leaf !== undefined) state.pointer = { leaf, explicit: record.explicit === true, line };
  } else if (type === 'queue-operation') {
    if (record.operation === 'enqueue' && typeof record.content === 'string')
      state.queue.enqueue(record.content, line, ts);
    else if (record.operation === 'dequeue' || record.operation === 'remove') state.queue.leave(record.content);
  }
}
