import { setTimeout as pause } from 'node:timers/promises';
import type { Candidate } from '../engine/procedures/context.ts';
import { AGENT_LABELS, type AgentId } from '../shared/agents.ts';
import { fail, ok, type Result } from '../shared/errors.ts';
import type { SessionRow } from '../shared/session.ts';
import type { Told } from './clients.ts';
import type { BoundBy } from './connection.ts';
import { exactSession, findSession } from './session.ts';
import type { Call } from './tool.ts';

export interface Bound {
  row: SessionRow;
  by: BoundBy;
}

/**
 * The session of this connection: the one that was named for it, else the one that the client itself says it is in.
 * Null when neither is there: no title, folder or time stands in for them.
 */
export async function boundSession(call: Call): Promise<Result<Bound | null>> {
  const { connection } = call;
  if (connection.named) {
    const { handle, by } = connection.named;
    const row = await exactSession(call, handle);
    return row.ok ? ok({ row: row.value, by }) : row;
  }
  const told = connection.told(call.meta);
  if (told === null) return ok(null);
  const row = told.kind === 'session' ? await sessionOf(call, told) : await sessionWithCall(call, told);
  if (!row.ok) return row;
  return ok(row.value === null ? null : { row: row.value, by: 'client' });
}

/** As `boundSession`, for tools that need one. Errors: selection_required. */
export async function needSession(call: Call): Promise<Result<SessionRow>> {
  const { error } = await call.reading.once();
  if (error) return { ok: false, error };
  const bound = await boundSession(call);
  if (!bound.ok) return bound;
  if (bound.value !== null) return ok(bound.value.row);
  return fail(
    'selection_required',
    'It is not known which session this conversation is. Name one as `session`, or ask session_current.',
  );
}

/** Own ids of agents are unique within an agent, so a session of another one with the same id is not meant. */
async function sessionOf(call: Call, { agent, native }: Told & { kind: 'session' }): Promise<Result<SessionRow>> {
  const found = await findSession(call, native);
  if (!found.ok && !['not_found', 'selection_required'].includes(found.error.code)) return found;
  const rows = found.ok ? [found.value] : ((found.error.details?.candidates ?? []) as Candidate[]);
  const own = rows.filter((row) => row.agent === agent && row.native_id === native);
  const [only] = own;
  if (only === undefined) return notStored(agent, native);
  if (own.length === 1) return call.connection.engine.call('sessions.get', { id: only.id }, call.signal);
  return fail('selection_required', `${own.length} sessions of ${AGENT_LABELS[agent]} have the id ${native}.`, {
    candidates: own,
  });
}

function notStored(agent: AgentId, native: string): Result<never> {
  return fail(
    'not_found',
    `${AGENT_LABELS[agent]} says that this is its session ${native}, which is not in the store. Its source may not be read ` +
      `(\`sessionctl sources enable ${agent}\`), or it has not written the session yet.`,
    { agent, native_id: native },
  );
}

/** How often a session is looked for that has the call in it, and how long in between: agents write a moment later. */
const LOOKS = 6;
const BETWEEN_MS = 250;
/** So many of the sessions that were active last are looked into, and so many of their last rows. */
const SESSIONS = 10;
const ROWS = 20;

/**
 * The session in whose log this very call stands. Its id proves it, so a few sessions that were active last are looked
 * into. Null when none has it: the source is not read, or not written yet.
 */
async function sessionWithCall(
  call: Call,
  { agent, callId }: Told & { kind: 'call' },
): Promise<Result<SessionRow | null>> {
  const { engine } = call.connection;
  /** events of the sessions that were looked into */
  const known = new Map<string, number>();
  for (let look = 0; look < LOOKS && !call.signal.aborted; look++) {
    if (look > 0) await pause(BETWEEN_MS);
    const { note, error } = await (look > 0 ? call.reading.again() : call.reading.once());
    if (error) return { ok: false, error };
    const query = { agent, subagents: true, empty: true, limit: SESSIONS };
    const listed = await engine.call('sessions.list', query, call.signal);
    if (!listed.ok) return listed;
    for (const row of listed.value.rows) {
      if (known.get(row.id) === row.events) continue;
      known.set(row.id, row.events);
      const opened = await engine.call('transcript.open', { id: row.id, limit: ROWS }, call.signal);
      if (!opened.ok) continue;
      const rows = opened.value.page.rows;
      if (rows.some((one) => one.kind === 'tools' && one.calls.some(({ call_id }) => call_id === callId)))
        return ok(row);
    }
    // nothing else will be read in time
    if (note !== undefined) break;
  }
  return ok(null);
}
