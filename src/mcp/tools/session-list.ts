import { z } from 'zod';
import { AGENTS } from '../../shared/agents.ts';
import { ok } from '../../shared/errors.ts';
import { fitting } from '../bounds.ts';
import { fenced, NOTICE } from '../quote.ts';
import { briefLine, briefOf, briefSchema, secondsOf } from '../session.ts';
import { defineTool, READS } from '../tool.ts';

const PAGE = 20;

export const sessionList = defineTool({
  name: 'session_list',
  title: 'List sessions',
  description:
    'Lists the stored sessions of all coding agents on this machine, newest first, a page at a time. Reads what is new ' +
    'first. To find what was said in a session use session_search; to go on with one use session_continue.',
  annotations: READS,
  input: z.strictObject({
    text: z.string().max(500).optional().describe('Words that all occur in the title, a prompt or a path.'),
    agent: z
      .string()
      .optional()
      .describe(`Only of this agent: ${AGENTS.join(', ')}.`),
    cwd: z.string().max(4096).optional().describe('Only of this folder (whole path).'),
    after: z.iso.datetime({ offset: true }).optional().describe('Only active since then (ISO time).'),
    before: z.iso.datetime({ offset: true }).optional().describe('Only active before then (ISO time).'),
    subagents: z.boolean().optional().describe('Sessions of sub-agents too.'),
    offset: z.number().int().nonnegative().optional().describe('`next_offset` of the page before.'),
    limit: z.number().int().positive().max(50).optional().describe(`At most so many (default ${PAGE}).`),
  }),
  output: z.object({
    total: z.number().int(),
    offset: z.number().int(),
    /** null: this is the last page */
    next_offset: z.number().int().nullable(),
    sessions: z.array(briefSchema),
    notice: z.string(),
  }),
  run: async (call, { after, before, offset = 0, limit = PAGE, ...filter }) => {
    const { error } = await call.reading.once();
    if (error) return { ok: false, error };
    const times = { ...(after && { after: secondsOf(after) }), ...(before && { before: secondsOf(before) }) };
    const query = { ...filter, ...times, offset, limit };
    const listed = await call.connection.engine.call('sessions.list', query, call.signal);
    if (!listed.ok) return listed;
    const { total, rows } = listed.value;
    const sessions = fitting(rows.map((row) => briefOf(row, call.clean)));
    const next = offset + sessions.length;
    const next_offset = next < total && sessions.length > 0 ? next : null;
    const more = next_offset === null ? '' : ` Go on with offset ${next_offset}.`;
    const head =
      sessions.length === 0 ? `No session (${total} in all).` : `Sessions ${offset + 1} to ${next} of ${total}.${more}`;
    return ok({
      value: { total, offset, next_offset, sessions, notice: NOTICE },
      text: [head, ...(sessions.length === 0 ? [] : [fenced('sessions', sessions.map(briefLine).join('\n'))])].join(
        '\n',
      ),
    });
  },
});
