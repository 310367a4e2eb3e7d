import type Database from 'better-sqlite3';
import type { NativeParent } from '../../contract.ts';
import { isObject, type Json, objectOf, parsed, word } from '../json.ts';
import { columnsOf } from './tables.ts';

/**
 * How the sessions of a database come from each other. Hermes uses `parent_session_id` for four things; markers in
 * `model_config` and the parent's end tell them apart (FORMAT.md).
 */
export class Family {
  readonly #parent: { get(id: string): Json | undefined };
  readonly #calls: { all(id: string): unknown[] } | null;

  constructor(db: Database) {
    const sessions = columnsOf(db, 'sessions');
    const ends = sessions.has('end_reason') ? 'end_reason, ended_at' : 'NULL AS end_reason, NULL AS ended_at';
    const parent = db.prepare(`SELECT id, ${ends} FROM sessions WHERE id = ?`);
    this.#parent = { get: (id) => parent.get(id) as Json | undefined };
    const messages = columnsOf(db, 'messages');
    const calls = messages.has('tool_calls')
      ? db.prepare(
          `SELECT timestamp, tool_calls FROM messages
           WHERE session_id = ? AND role = 'assistant' AND tool_calls LIKE '%delegate_task%' ORDER BY id`,
        )
      : null;
    this.#calls = calls === null ? null : { all: (id) => calls.all(id) };
  }

  /** null = a session of its own. One that a gateway began afresh in the place of another has nothing of that (`reset`). */
  parentOf(session: Json): NativeParent | null {
    const config = objectOf(session.model_config);
    const delegate = word(config._delegate_from);
    if (delegate !== null) return this.#subagent(delegate, session);
    const branch = word(config._branched_from);
    if (branch !== null) return { kind: 'fork', native_id: branch };
    const id = word(session.parent_session_id);
    const reset = word(config._reset_from);
    if (reset !== null) return { kind: 'reset', native_id: reset };
    if (id === null) return null;
    const parent = this.#parent.get(id);
    if (session.source === 'subagent') return this.#subagent(id, session);
    if (parent?.end_reason === 'branched') return { kind: 'fork', native_id: id };
    return parent?.end_reason === 'compression' && session.source !== 'tool'
      ? { kind: 'continuation', native_id: id }
      : null;
  }

  /** The parent's newest `delegate_task` call that was there when the child began. */
  #subagent(id: string, session: Json): NativeParent {
    const parent: NativeParent = { kind: 'subagent', native_id: id };
    const began = typeof session.started_at === 'number' ? session.started_at : Number.POSITIVE_INFINITY;
    for (const row of this.#calls?.all(id) ?? []) {
      const { timestamp, tool_calls } = row as { timestamp: unknown; tool_calls: unknown };
      if (typeof timestamp === 'number' && timestamp > began + 1) break;
      const calls = parsed(tool_calls);
      if (!Array.isArray(calls)) continue;
      const call: unknown = calls.findLast(
        (one) => isObject(one) && (isObject(one.function) ? one.function.name : one.name) === 'delegate_task',
      );
      const callId = isObject(call) ? (word(call.call_id) ?? word(call.id)) : null;
      if (callId !== null) parent.call_id = callId;
    }
    return parent;
  }
}
