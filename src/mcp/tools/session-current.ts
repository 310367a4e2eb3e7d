import { z } from 'zod';
import { AGENT_LABELS, type AgentId } from '../../shared/agents.ts';
import { ok, type Result } from '../../shared/errors.ts';
import { type Bound, boundSession } from '../bound.ts';
import { fenced, NOTICE } from '../quote.ts';
import { briefLine, briefOf, briefSchema, exactSession } from '../session.ts';
import { type Answer, type Call, defineTool, READS } from '../tool.ts';

const outputSchema = z.object({
  state: z.enum(['bound', 'selection_required']),
  /** bound: the session of this connection */
  session: briefSchema.optional(),
  /** argument: named by this tool; environment: the server was started for it; client: the agent says so itself */
  bound_by: z.enum(['argument', 'environment', 'client']).optional(),
  /** selection_required: sessions that may be meant, newest first; their order decides nothing */
  candidates: z.array(briefSchema).optional(),
  /** how many sessions there are to choose from */
  total: z.number().int().optional(),
  next: z.string(),
  notice: z.string(),
});
type Output = z.input<typeof outputSchema>;

const CANDIDATES = 10;

export const sessionCurrent = defineTool({
  name: 'session_current',
  title: 'The session of this conversation',
  description:
    'Tells which stored session this conversation is. It is known when the agent itself says so, when the server was ' +
    'started for one session, or after this tool was called with its id. Otherwise the answer is "selection_required" ' +
    'with candidates: ask the user which one it is, then call again with `session`. Nothing is chosen by time or title.',
  annotations: READS,
  input: z.strictObject({
    session: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('Whole id of the session that this conversation is; from then on it is the current one.'),
  }),
  output: outputSchema,
  run: async (call, { session }) => {
    if (session !== undefined) {
      const row = await exactSession(call, session);
      if (!row.ok) return row;
      call.connection.named = { handle: row.value.id, by: 'argument' };
      return ok(boundAnswer(call, { row: row.value, by: 'argument' }));
    }
    const bound = await boundSession(call);
    if (!bound.ok) return bound;
    return bound.value === null ? candidates(call) : ok(boundAnswer(call, bound.value));
  },
});

const ASK = 'Ask the user which one it is, and call session_current again with its id as `session`. Do not guess.';

const HOW = {
  argument: 'it was named for this connection',
  environment: 'this server was started for it',
  client: 'the agent itself says so',
} as const;

function boundAnswer({ clean }: Call, { row, by }: Bound): Answer<Output> {
  const session = briefOf(row, clean);
  return {
    value: {
      state: 'bound',
      session,
      bound_by: by,
      next: 'Other tools take this session when none is named.',
      notice: NOTICE,
    },
    text: `This conversation is session ${session.id}: ${HOW[by]}.\n${fenced(session.id, briefLine(session))}`,
  };
}

const noneOf = (whose: string, agent: AgentId | null): string =>
  `No session${whose} is stored. The user may have to allow it first: sessionctl sources enable ${agent ?? '<agent>'}`;

async function candidates(call: Call): Promise<Result<Answer<Output>>> {
  const { connection, signal, reading } = call;
  const { error } = await reading.once();
  if (error) return { ok: false, error };
  const { agent } = connection;
  const query = { ...(agent === null ? {} : { agent }), limit: CANDIDATES };
  const listed = await connection.engine.call('sessions.list', query, signal);
  if (!listed.ok) return listed;
  const { total } = listed.value;
  const rows = listed.value.rows.map((row) => briefOf(row, call.clean));
  const whose = agent === null ? '' : ` of ${AGENT_LABELS[agent]}`;
  const next = total > 0 ? ASK : reading.note === undefined ? noneOf(whose, agent) : `No session${whose} was read yet.`;
  return ok({
    value: { state: 'selection_required', candidates: rows, total, next, notice: NOTICE },
    text: [
      `selection_required: it is not known which session this conversation is. ${total} sessions${whose} are stored` +
        `${total > rows.length ? `; these are the ${rows.length} newest, session_list has all` : ''}.`,
      next,
      ...(rows.length === 0 ? [] : [fenced('candidates', rows.map(briefLine).join('\n'))]),
    ].join('\n'),
  });
}
