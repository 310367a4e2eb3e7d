import type { ToolCall, ToolResult } from '../../../src/shared/events.ts';
import { type Json, numberOf, objectOf, seconds, textOf } from '../json.ts';
import { toolOf } from '../tools.ts';
import { fileBlock, outputBlocks } from './content.ts';
import { writeDerived } from './derive.ts';
import { ACTOR, type SessionLog } from './log.ts';
import { modelOf } from './model.ts';
import { digestOf, type Message, type Part, type Result, type Surroundings, type Unit } from './units.ts';

/** What OpenCode sends in place of a result that is not there (any more). */
const CLEARED = '[Old tool result content cleared]';
const INTERRUPTED = '[Tool execution was interrupted]';

/** A tool part: the call, and its result as soon as there is one. Null while the model is still writing the call. */
export function callUnit(part: Part, message: Message, around: Surroundings): Unit | null {
  const { id, data } = part;
  const state = objectOf(data.state);
  const working = around.isLast && numberOf(objectOf(message.data.time).completed) === null;
  if (state.status === 'pending' && working) return null;
  const name = textOf(data.tool) ?? '';
  const callId = textOf(data.callID) ?? id;
  const write = (log: SessionLog): void => {
    const { kind, server } = toolOf(name);
    const now = objectOf(data.state);
    const child = textOf(objectOf(now.metadata).sessionId);
    const payload: ToolCall = {
      response: message.response,
      call_id: callId,
      name,
      arguments: typeof now.input === 'string' ? now.input : objectOf(now.input),
      tool: kind,
      ...(server === null ? {} : { server }),
      ...(child === null || kind !== 'agent' ? {} : { child_session: around.idOf(child) }),
    };
    log.put(
      'tool.call',
      ACTOR,
      { ...payload, ...modelOf(message) },
      { id, ts: seconds(objectOf(now.time).start) ?? seconds(message.created) },
    );
  };
  const result = resultOf(part, message, callId, { working, around });
  return { key: id, digest: digestOf(name, callId, state.input), write, ...(result === null ? {} : { result }) };
}

interface Standing {
  working: boolean;
  around: Surroundings;
}

function resultOf({ id, data }: Part, message: Message, callId: string, { working, around }: Standing): Result | null {
  const state = objectOf(data.state);
  const ended = state.status === 'completed' || state.status === 'error';
  if (!ended && (working || around.isLast)) return null;
  const cleared = numberOf(objectOf(state.time).compacted) !== null;
  const seen = [state.status, cleared || state.output, state.error, cleared || state.attachments];
  const write = (log: SessionLog, call: number): void => {
    const now = objectOf(data.state);
    const time = objectOf(now.time);
    const { start, end } = time;
    const from = { id, ts: seconds(end) ?? seconds(start) ?? seconds(message.created), part: 1 };
    const payload: ToolResult = {
      call_id: callId,
      ...answer(now, ended, cleared, around),
      ...(numberOf(start) !== null && numberOf(end) !== null ? { duration_ms: Number(end) - Number(start) } : {}),
    };
    log.put('tool.result', 'system', payload, from);
    if (ended) writeDerived(log, { name: textOf(data.tool) ?? '', state: now, call, from });
  };
  return { digest: digestOf(seen), write };
}

type Answer = Pick<ToolResult, 'content' | 'is_error' | 'exit_code' | 'truncated' | 'closed'>;

function answer(state: Json, ended: boolean, cleared: boolean, { store }: Surroundings): Answer {
  if (!ended) return { content: [{ kind: 'text', text: INTERRUPTED }], is_error: true, closed: 'interrupted' };
  const metadata = objectOf(state.metadata);
  const interrupted = metadata.interrupted === true;
  if (state.status === 'error') {
    const sent = interrupted && typeof metadata.output === 'string' ? metadata.output : state.error;
    const text = typeof sent === 'string' ? sent : '';
    const denied = /rejected permission|user rejected/i.test(text);
    const closed = interrupted ? 'interrupted' : denied ? 'denied' : 'ran';
    return { ...outputBlocks(text, store), is_error: true, closed };
  }
  if (cleared) return { content: [{ kind: 'text', text: CLEARED }], is_error: false, closed: 'ran' };
  const { content, truncated } = outputBlocks(typeof state.output === 'string' ? state.output : '', store);
  const files = Array.isArray(state.attachments) ? (state.attachments as unknown[]) : [];
  const exit = numberOf(metadata.exit);
  return {
    content: [...content, ...files.flatMap((file) => fileBlock(objectOf(file)) ?? [])],
    ...(truncated === undefined ? {} : { truncated }),
    is_error: exit !== null && exit !== 0,
    ...(exit === null || !Number.isInteger(exit) ? {} : { exit_code: exit }),
    closed: 'ran',
  };
}
