import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import { AGENTS } from '../../shared/agents.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import {
  type FidelityReport,
  fidelityRowSchema,
  type HandoffInput,
  type HandoffPlan,
  type HandoffResult,
  handoffModeSchema,
  SAGA_STEPS,
} from '../../shared/handoff.ts';
import { needSession } from '../bound.ts';
import type { Clean } from '../outgoing.ts';
import { fenced, lineOf, NOTICE } from '../quote.ts';
import { exactSession } from '../session.ts';
import { type Answer, type Call, defineTool } from '../tool.ts';

const inputSchema = z.strictObject({
  session: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('Whole id of the session; by default this conversation, when it is known which session that is.'),
  to: z.enum(AGENTS).optional().describe('The agent that goes on.'),
  mode: handoffModeSchema
    .optional()
    .describe(
      'native: the whole conversation; native-tail: the last turns behind a compiled page; context: that page alone; delta: what is new since that agent last knew it.',
    ),
  turns: z.number().int().positive().optional().describe('native-tail: so many of the last turns.'),
  note: z
    .string()
    .max(8000)
    .optional()
    .describe('What you or the user say to the next agent; it reads it as the newest prompt.'),
  cwd: z
    .string()
    .max(4096)
    .optional()
    .describe('Folder of the new session (whole path); by default that of the session.'),
  operation_id: z
    .string()
    .optional()
    .describe('Second step: the `operation_id` that the first step gave. It does what was shown, once.'),
});
type Input = z.output<typeof inputSchema>;

const lossSchema = fidelityRowSchema.omit({ seqs: true });
const commandSchema = z.object({ text: z.string(), cwd: z.string().nullable() });

const outputSchema = z.object({
  /** planned: nothing was written; refused: it cannot be done, `why` says what can; done: the session is written */
  state: z.enum(['planned', 'refused', 'done']),
  /** planned: give it back to do this; done: with it the handoff can be taken back */
  operation_id: z.string().optional(),
  session: z.string(),
  to: z.string(),
  mode: handoffModeSchema.optional(),
  why: z.object({ code: z.string(), message: z.string() }).optional(),
  /** ways to hand over, and whether they fit the target's window */
  modes: z
    .array(
      z.object({
        mode: handoffModeSchema,
        tokens: z.number().int(),
        possible: z.boolean(),
        why: z.string().optional(),
      }),
    )
    .optional(),
  /** what was looked at: the target's program, the folder, the source */
  checks: z
    .array(z.object({ id: z.string(), level: z.string(), text: z.string(), detail: z.string().optional() }))
    .optional(),
  /** what is kept, converted, summarised and dropped; the rows add up to the session */
  fidelity: z.array(lossSchema),
  events: z.object({ total: z.number().int(), arriving: z.number().int() }),
  /** what the new session takes of the target's window, in its tokens */
  window: z.object({ size: z.number().int(), used: z.number().int() }).optional(),
  secrets_withheld: z.number().int().optional(),
  /** done: our id of the new session, and the agent's own */
  new_session: z.string().optional(),
  native_id: z.string().optional(),
  /** done: what was written, and what goes on with it. A plan names neither, since the id is given when it is done */
  files: z.array(z.string()).optional(),
  command: commandSchema.optional(),
  receipt: z.string().optional(),
  /** done: this operation had been done before, and nothing was written now */
  replayed: z.boolean().optional(),
  warnings: z.array(z.string()).optional(),
  /** what to do now */
  next: z.string(),
  notice: z.string(),
});
type Output = z.input<typeof outputSchema>;

export const sessionHandoff = defineTool({
  name: 'session_handoff',
  title: 'Hand a session over to another agent',
  description:
    'Makes a session that another agent natively resumes, in two steps. First call: `to` (and `session`): nothing is ' +
    'written; the answer says what is kept and lost, and gives an `operation_id`. Show that to the user. Second call: that ' +
    '`operation_id` alone: writes the new session and gives the command that goes on with it. The source is never changed.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: inputSchema,
  output: outputSchema,
  run: (call, input) =>
    input.operation_id === undefined ? preflight(call, input) : execute(call, input, input.operation_id),
});

async function preflight(call: Call, input: Input): Promise<Result<Answer<Output>>> {
  const { to, session: handle, operation_id: _, ...choices } = input;
  if (to === undefined)
    return fail('invalid_request', `Name the agent that goes on as \`to\`: ${AGENTS.join(', ')}.`, { path: 'to' });
  const session = await sourceOf(call, handle);
  if (!session.ok) return session;
  const asked: HandoffInput = { session: session.value, to, ...choices };
  const plan = await call.connection.engine.call('handoff.preflight', asked, call.signal);
  if (!plan.ok) return plan;
  if (!plan.value.ready) return ok(planAnswer(call, plan.value, null));
  const operation = `mcp-${randomUUID()}`;
  call.connection.remember(operation, { input: asked, events: plan.value.fidelity.events.total });
  return ok(planAnswer(call, plan.value, operation));
}

async function sourceOf(call: Call, handle: string | undefined): Promise<Result<string>> {
  const row = await (handle === undefined ? needSession(call) : exactSession(call, handle));
  return row.ok ? ok(row.value.id) : row;
}

async function execute(call: Call, input: Input, operation: string): Promise<Result<Answer<Output>>> {
  const planned = call.connection.confirmed(operation);
  if (planned === undefined)
    return fail(
      'invalid_request',
      'This `operation_id` was not given by session_handoff in this connection. Call session_handoff without it first.',
      { path: 'operation_id' },
    );
  const other = (['session', 'to', 'mode', 'turns', 'note', 'cwd'] as const).find(
    (name) => input[name] !== undefined && input[name] !== planned.input[name],
  );
  if (other !== undefined)
    return fail(
      'invalid_request',
      `\`${other}\` is not what was planned. Call with the operation_id alone, or plan again.`,
      {
        path: other,
      },
    );
  const { engine } = call.connection;
  const end = tellSteps(engine, operation, call);
  try {
    const done = await engine.call('handoff.execute', { ...planned.input, operation_id: operation }, call.signal);
    return done.ok ? ok(doneAnswer(call, done.value, planned.events)) : done;
  } finally {
    end();
  }
}

function tellSteps(engine: Engine, operation: string, call: Call): () => void {
  return engine.subscribe((event) => {
    if (event.topic !== 'handoff' || event.progress.operation_id !== operation) return;
    const { step, state, text } = event.progress;
    call.progress(SAGA_STEPS.indexOf(step) + (state === 'done' ? 1 : 0), SAGA_STEPS.length, text);
  });
}

const lossesOf = ({ rows }: FidelityReport, clean: Clean): Output['fidelity'] =>
  rows.map(({ how, kind, outcome, count, tokens }) => ({ kind, outcome, count, tokens, how: lineOf(how, 200, clean) }));

function planAnswer({ clean }: Call, plan: HandoffPlan, operation: string | null): Answer<Output> {
  const { session, to, mode, modes, checks, fidelity, budget, redaction, refused } = plan;
  const outcome =
    operation === null
      ? `Cannot be done this way: ${refused?.message ?? 'see the checks'}`
      : 'Nothing was written yet. Show this to the user; when they agree, call session_handoff with this operation_id alone.';
  const value: Output = {
    state: operation === null ? 'refused' : 'planned',
    ...(operation === null ? {} : { operation_id: operation }),
    session,
    to,
    mode,
    ...(refused === undefined ? {} : { why: refused }),
    modes: modes.map(({ mode: way, tokens, possible, why }) => ({
      mode: way,
      tokens,
      possible,
      ...(why === undefined ? {} : { why }),
    })),
    checks: checks.map(({ text, detail, ...check }) => ({
      ...check,
      text: lineOf(text, 300, clean),
      ...(detail === undefined ? {} : { detail: lineOf(detail, 300, clean) }),
    })),
    fidelity: lossesOf(fidelity, clean),
    events: fidelity.events,
    window: { size: budget.window, used: budget.used },
    secrets_withheld: redaction.removed,
    next: outcome,
    notice: NOTICE,
  };
  return {
    value,
    text: [
      operation === null ? 'state: refused' : `state: planned\noperation_id: ${operation}`,
      outcome,
      `session ${session} to ${to} (${mode}): ${fidelity.events.arriving} of ${fidelity.events.total} events arrive, about ` +
        `${budget.used} tokens of a window of ${budget.window}; ${redaction.removed} secrets are withheld.`,
      fenced(session, [...planLines(value), `title: ${JSON.stringify(lineOf(plan.title, 120, clean))}`].join('\n')),
    ].join('\n'),
  };
}

function planLines({ modes = [], checks = [], fidelity }: Output): string[] {
  return [
    ...fidelity.map(
      ({ kind, outcome, count, tokens, how }) => `${outcome}: ${count} ${kind} (${tokens} tokens) ${how}`,
    ),
    ...modes.map(
      ({ mode, tokens, possible, why }) =>
        `mode ${mode}: ${possible ? `possible, ${mode === 'native' ? 'about' : 'at most'} ${tokens} tokens` : `not possible${why === undefined ? '' : `: ${why}`}`}`,
    ),
    ...checks.map(({ level, text, detail }) => `${level}: ${text}${detail === undefined ? '' : `. ${detail}`}`),
  ];
}

/** The conversation goes on between the two steps, if only by their own calls: what came since is carried, and said. */
function sincePlan(planned: number, { events, rows }: FidelityReport): string[] {
  if (events.total === planned) return [];
  const lost = rows.reduce((sum, { outcome, count }) => (outcome === 'dropped' ? sum + count : sum), 0);
  const now = `${events.arriving} of ${events.total} events arrived, ${lost} things were dropped`;
  return [
    `since-plan: The session has changed since the plan, which counted ${planned} events; ${now}. Tell the user.`,
  ];
}

function doneAnswer({ clean }: Call, result: HandoffResult, planned: number): Answer<Output> {
  const { operation_id, replayed, session, to, new_session, native_id, files, command, receipt, fidelity, warnings } =
    result;
  const next = `Tell the user to go on with this command in a terminal. To take it back: sessionctl handoff --undo --operation ${operation_id}`;
  const said = [
    ...(replayed ? [] : sincePlan(planned, fidelity)),
    ...warnings.map(({ about, detail }) => `${about}: ${lineOf(detail, 300, clean)}`),
  ];
  const folder = command.cwd === null ? null : lineOf(command.cwd, 4000, clean);
  return {
    value: {
      state: 'done',
      operation_id,
      session,
      to,
      fidelity: lossesOf(fidelity, clean),
      events: fidelity.events,
      new_session,
      native_id,
      files: files.map((path) => lineOf(path, 4000, clean)),
      command: { text: lineOf(command.text, 8000, clean), cwd: folder },
      receipt,
      replayed,
      warnings: said,
      next,
      notice: NOTICE,
    },
    text: [
      `state: done${replayed ? ' (it had been done before; nothing was written now)' : ''}`,
      `Session ${session} was handed over to ${to} as ${new_session}. The command that goes on with it:`,
      `  ${lineOf(command.text, 4000, clean)}`,
      ...(folder === null ? [] : [`in the folder ${JSON.stringify(folder)}.`]),
      `Receipt ${receipt}. ${next}`,
      ...(said.length === 0 ? [] : [fenced(new_session, said.join('\n'))]),
    ].join('\n'),
  };
}
