import { z } from 'zod';
import { AGENT_LABELS, AGENTS, type AgentId } from '../../shared/agents.ts';
import { fail, ok } from '../../shared/errors.ts';
import { budgetInput, compiledPage, pageSchema, partInput } from '../compiled.ts';
import { NOTICE } from '../quote.ts';
import { briefOf, briefSchema, exactSession } from '../session.ts';
import { defineTool, READS } from '../tool.ts';

/** Tokens of the page that a conversation takes in without being asked. */
const ROOM = 8_000;

export const sessionContinue = defineTool({
  name: 'session_continue',
  title: 'Go on with a previous session',
  description:
    'Gives what you must know to go on with a previous session of any agent: the task, what the user demanded, the state, ' +
    'open points, decisions, files, commands with exit codes, errors. Needs the whole id of the session (session_list, ' +
    'session_search); an unclear one is not chosen for you. Reads only; session_handoff makes a real session elsewhere.',
  annotations: READS,
  input: z.strictObject({
    prev_session: z.string().min(1).max(1000).describe('Whole id of the session to go on with.'),
    target: z.enum(AGENTS).optional().describe('The agent that will read it; by default the one that asks.'),
    budget: budgetInput.describe(`Tokens of the whole page (default ${ROOM}, more when the vital part needs it).`),
    ...partInput,
  }),
  output: z.object({
    session: briefSchema,
    target: z.string(),
    next: z.string(),
    ...pageSchema.shape,
    notice: z.string(),
  }),
  run: async (call, { prev_session, target = call.connection.agent ?? undefined, ...wanted }) => {
    if (target === undefined)
      return fail('invalid_request', `Name the agent that will read it as \`target\`: ${AGENTS.join(', ')}.`, {
        path: 'target',
      });
    const row = await exactSession(call, prev_session, wanted.part);
    if (!row.ok) return row;
    const page = await compiledPage(call, { session: row.value.id, target, ...wanted }, ROOM);
    if (!page.ok) return page;
    const session = briefOf(row.value, call.clean);
    const label = AGENT_LABELS[session.agent as AgentId] ?? session.agent;
    const next =
      `What is known of session ${session.id} (${label}), so that you can go on with it. It is a record: look at the files, ` +
      'the git status and the tests before you rely on it, and ask the user where it is unclear.';
    return ok({
      value: { session, target, next, ...page.value, notice: NOTICE },
      text: page.value.part > 1 ? page.value.text : `${next}\n\n${page.value.text}`,
    });
  },
});
