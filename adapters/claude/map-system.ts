import type { MessageSystem } from '../../src/shared/events.ts';
import { compact } from './cut.ts';
import { keepRecord } from './map-attachment.ts';
import { mapBoundary } from './map-compaction.ts';
import { leftOver } from './native.ts';
import { placeOf, settle } from './place.ts';
import { isObject, type Json, type NativeRecord, text } from './record.ts';
import type { SessionState } from './state.ts';

const HANDLED: ReadonlySet<string> = new Set(['uuid', 'parentUuid', 'timestamp']);

/** Subtypes that say something to the user. None of them is sent to the model. */
const SHOWN = new Map<string, MessageSystem['about']>([
  ['local_command', 'command_output'],
  ['informational', 'notice'],
  ['api_error', 'notice'],
  ['away_summary', 'notice'],
  ['bridge_status', 'notice'],
]);
const KEPT: ReadonlySet<string> = new Set([
  'turn_duration',
  'stop_hook_summary',
  'microcompact_boundary',
  'memory_saved',
  'agents_killed',
  'scheduled_task_fire',
  'permission_retry',
]);

/** A system line. Returns the subtype when it is not known. */
export function mapSystem(state: SessionState, record: NativeRecord): true | string {
  const subtype = typeof record.subtype === 'string' ? record.subtype : '';
  if (subtype === 'compact_boundary') {
    mapBoundary(state, record);
    return true;
  }
  const about = SHOWN.get(subtype);
  if (about !== undefined) mapNotice(state, record, about);
  else if (KEPT.has(subtype)) keepRecord(state, compact(record, { store: state.store }) as NativeRecord);
  else if (subtype === '' && typeof record.content === 'string') mapNotice(state, record, 'notice');
  else return `system/${subtype}`;
  return true;
}

function mapNotice(state: SessionState, record: NativeRecord, about: MessageSystem['about']): void {
  const { log } = state;
  const role = { kind: 'other' } as const;
  const place = placeOf(log, record, role);
  log.current.parent = place.parent;
  const handled = typeof record.content === 'string' ? new Set([...HANDLED, 'content']) : HANDLED;
  const native = leftOver(record, handled, log, place.exact, undefined);
  const said = typeof record.content === 'string' ? record.content : errorText(record.error);
  const payload: Json = {
    about,
    content: said === undefined ? [] : [{ kind: 'text', text: said }],
    native: compact(native, { store: state.store }),
    role: 'system',
  };
  log.put({ type: 'message.system', actor: 'system', level: 0, payload });
  settle(log, place, role, log.current.last);
}

function errorText(error: unknown): string | undefined {
  if (typeof error === 'string') return error;
  return isObject(error) ? (text(error.formatted) ?? text(error.message)) : undefined;
}
