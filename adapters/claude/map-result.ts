import type { ToolResult } from '../../src/shared/events.ts';
import type { OpenCall } from './calls.ts';
import { type Mapped, mapContent, soleText } from './content.ts';
import { compact } from './cut.ts';
import { derive, durationOf } from './derive.ts';
import { EVENT } from './graph.ts';
import { extras, leftOver } from './native.ts';
import { placeOf, settle } from './place.ts';
import { isObject, type Json, type NativeRecord } from './record.ts';
import { readSpilled } from './spill.ts';
import type { SessionState } from './state.ts';
import { messageRest } from './user-message.ts';

const HANDLED: ReadonlySet<string> = new Set(['type', 'uuid', 'parentUuid', 'timestamp', 'message', 'toolUseResult']);
const RESULT_KEYS: ReadonlySet<string> = new Set(['type', 'tool_use_id', 'content']);
const EXIT_CODE = /^(?:Error: )?Exit code (\d{1,5})\b/;
const DENIED = /^The user doesn't want to (?:proceed with|take) this/;
const INTERRUPTED = /^\[Request interrupted by user/;

/** A user line that carries results of calls. Other blocks beside them are notes of the harness. */
export function mapResults(state: SessionState, record: NativeRecord, message: Json, blocks: unknown[]): void {
  const { log } = state;
  const first = blocks.find(isResult) as Json;
  const response = state.calls.get(first.tool_use_id as string)?.response;
  const role = { kind: 'result', response } as const;
  const place = placeOf(log, record, role);
  log.current.parent = place.parent;
  const native = leftOver(record, HANDLED, log, place.exact, messageRest(message, {}));
  let told = false;
  for (const block of blocks) {
    const own = log.current.part === 0 ? native : undefined;
    if (!isResult(block)) {
      putNote(state, block, own);
      continue;
    }
    putResult(state, record, block, own, told ? undefined : record.toolUseResult);
    told = true;
  }
  settle(log, place, role, log.current.last);
}

export function isResult(block: unknown): block is Json {
  return isObject(block) && block.type === 'tool_result' && typeof block.tool_use_id === 'string';
}

function putNote(state: SessionState, block: unknown, native: Json | undefined): void {
  const mapped = mapContent([block], { store: state.store, cut: false });
  const payload: Json = { about: 'reminder', content: mapped.content };
  const all = withMapped(native, mapped);
  if (all !== undefined) payload.native = all;
  payload.role = 'user';
  payload.to_model = true;
  state.log.put({ type: 'message.system', actor: 'system', level: 1, payload, kind: EVENT.USER });
}

function putResult(state: SessionState, record: NativeRecord, block: Json, own: Json | undefined, twin: unknown): void {
  const { log } = state;
  const id = block.tool_use_id as string;
  const call = state.calls.get(id);
  if (call === undefined) log.warn('orphan-result', 'A result has no call that it could answer.');
  state.calls.answered(id);
  const said = soleText(block.content);
  const isError = block.is_error === true;
  const mapped: Mapped =
    block.content === undefined ? { content: [] } : mapContent(block.content, { store: state.store, cut: true });
  const spilled = readSpilled(state, twin, said);
  const exitCode = exitCodeOf(call, twin, said, isError);
  const payload: Json = { call_id: id, closed: closedBy(record, twin, said, isError), content: mapped.content };
  const duration = durationOf(twin);
  if (duration !== undefined) payload.duration_ms = duration;
  if (exitCode !== undefined) payload.exit_code = exitCode;
  payload.is_error = isError;
  const native = withRest(withMapped(own, mapped), block, isError);
  if (native !== undefined) payload.native = native;
  if (twin !== undefined) payload.structured = compact(twin, { store: state.store, same: said });
  if (spilled !== undefined) payload.spilled = spilled;
  if (mapped.truncated !== undefined) payload.truncated = mapped.truncated;
  const seq = log.put({ type: 'tool.result', actor: 'system', level: 2, payload, kind: EVENT.USER });
  if (call !== undefined) derive(state, call, { seq, isError, exitCode, said, structured: twin }, record);
}

function withMapped(native: Json | undefined, mapped: Mapped): Json | undefined {
  return mapped.native === undefined ? native : { ...native, ...mapped.native };
}

/** Members of the block that the event has no place for. `is_error: false` is written by some tools only. */
function withRest(native: Json | undefined, block: Json, isError: boolean): Json | undefined {
  let rest = extras(block, RESULT_KEYS);
  if (isError && rest !== undefined) {
    const { is_error: _, ...others } = rest;
    rest = Object.keys(others).length > 0 ? others : undefined;
  }
  if (block.content === undefined) rest = { ...rest, $noContent: true };
  return rest === undefined ? native : { ...native, $block: rest };
}

/**
 * Exit code of a command: written in front of a failed one's output since 2.0, 0 where the client reports success.
 * Unknown for what runs in the background, was interrupted, or failed in an older client.
 */
function exitCodeOf(
  call: OpenCall | undefined,
  twin: unknown,
  said: string | undefined,
  isError: boolean,
): number | undefined {
  if (call?.name !== 'Bash') return undefined;
  if (isError) {
    const found = EXIT_CODE.exec(said ?? '');
    return found === null ? undefined : Number(found[1]);
  }
  const ran = isObject(twin) && twin.interrupted !== true && twin.backgroundTaskId === undefined;
  return ran && typeof twin.stdout === 'string' ? 0 : undefined;
}

function closedBy(
  record: NativeRecord,
  twin: unknown,
  said: string | undefined,
  isError: boolean,
): ToolResult['closed'] {
  if (isObject(twin) && twin.interrupted === true) return 'interrupted';
  if (!isError) return 'ran';
  if (record.toolDenialKind !== undefined || twin === 'User rejected tool use') return 'denied';
  if (said === undefined) return 'ran';
  if (INTERRUPTED.test(said)) return 'interrupted';
  return DENIED.test(said) ? 'denied' : 'ran';
}
