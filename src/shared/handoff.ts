import { z } from 'zod';
import { knownSchema } from './compiled.ts';
import { warningSchema } from './events.ts';

/** What is carried into the target. */
export const handoffModeSchema = z.enum(['native', 'native-tail', 'context', 'delta']);
/**
 * native: the whole model view as a native session.
 * native-tail: the last N turns natively, the compiled context of what lies before in front.
 * context: the compiled context alone, as first prompt.
 * delta: the target's own session that knows this one, in a copy, and what is new since as its newest prompt.
 */
export type HandoffMode = z.infer<typeof handoffModeSchema>;

export const outcomeSchema = z.enum(['kept', 'converted', 'summarised', 'dropped']);
export type Outcome = z.infer<typeof outcomeSchema>;

/** One line of the fidelity table. All rows of a report add up to the session's conversation events. */
export const fidelityRowSchema = z.object({
  /** block kind in stable words: prompt, reply, thinking, shell, read, edit, …, image, compaction, context, unknown */
  kind: z.string(),
  outcome: outcomeSchema,
  count: z.number().int(),
  /** in the target's tokens, estimated */
  tokens: z.number().int(),
  /** what happens to it, e.g. "→ exec_command", "signed by its provider, stays at home" */
  how: z.string(),
  /** the concrete events, as inclusive ranges */
  seqs: z.array(z.tuple([z.number().int(), z.number().int()])),
});
export type FidelityRow = z.infer<typeof fidelityRowSchema>;

export const fidelityReportSchema = z.object({
  rows: z.array(fidelityRowSchema),
  events: z.object({ total: z.number().int(), arriving: z.number().int() }),
  tokens: z.object({ total: z.number().int(), arriving: z.number().int() }),
});
export type FidelityReport = z.infer<typeof fidelityReportSchema>;

export const commandSchema = z.object({
  argv: z.array(z.string()),
  cwd: z.string().nullable(),
  /** one line for a shell, quoted */
  text: z.string(),
});
export type Command = z.infer<typeof commandSchema>;

export const checkSchema = z.object({
  id: z.string(),
  level: z.enum(['ok', 'note', 'warn', 'stop']),
  text: z.string(),
  detail: z.string().optional(),
});
export type Check = z.infer<typeof checkSchema>;

export const budgetSchema = z.object({
  model: z.string().nullable(),
  window: z.number().int(),
  reserve: z.number().int(),
  /** what this handoff would put into the window */
  used: z.number().int(),
  /** ± of `used`, in tokens */
  margin: z.number().int(),
  tokenizer: z.string(),
  parts: z.array(z.object({ name: z.enum(['p0', 'p1', 'p2', 'history']), tokens: z.number().int() })),
});
export type Budget = z.infer<typeof budgetSchema>;

export const handoffInputSchema = z.object({
  session: z.string(),
  to: z.string(),
  mode: handoffModeSchema.optional(),
  /** for native-tail: how many of the last turns go natively */
  turns: z.number().int().positive().optional(),
  /** for delta: the session of the target that it goes on with, where several know this one */
  since: z.string().optional(),
  note: z.string().max(8000).optional(),
  cwd: z.string().optional(),
});
export type HandoffInput = z.infer<typeof handoffInputSchema>;

/** Everything there is to know before the button is pressed. Making it has no effect anywhere. */
export const handoffPlanSchema = z.object({
  session: z.string(),
  from: z.string(),
  to: z.string(),
  title: z.string(),
  target: z.object({
    agent: z.string(),
    label: z.string(),
    installed: z.boolean(),
    version: z.string().nullable(),
    /** which native shape will be written, e.g. "paginated rollout (≥ 0.149)" */
    shape: z.string(),
  }),
  mode: handoffModeSchema,
  modes: z.array(
    z.object({
      mode: handoffModeSchema,
      turns: z.number().int().optional(),
      tokens: z.number().int(),
      possible: z.boolean(),
      why: z.string().optional(),
      /** delta: what it goes on with */
      since: knownSchema.optional(),
    }),
  ),
  checks: z.array(checkSchema),
  fidelity: fidelityReportSchema,
  budget: budgetSchema,
  redaction: z.object({ removed: z.number().int(), by_type: z.record(z.string(), z.number().int()) }),
  /** absolute paths that will be written; the id in them is a placeholder until the handoff runs */
  files: z.array(z.string()),
  command: commandSchema,
  ready: z.boolean(),
  /** why not, when not ready */
  refused: z.object({ code: z.string(), message: z.string() }).optional(),
});
export type HandoffPlan = z.infer<typeof handoffPlanSchema>;

export const SAGA_STEPS = [
  'snapshot',
  'redact',
  'compile',
  'convert',
  'write',
  'readback',
  'rename',
  'register',
  'receipt',
] as const;
export type SagaStep = (typeof SAGA_STEPS)[number];

export const sagaProgressSchema = z.object({
  operation_id: z.string(),
  step: z.enum(SAGA_STEPS),
  state: z.enum(['running', 'done', 'failed', 'removed']),
  text: z.string(),
  ms: z.number().optional(),
});
export type SagaProgress = z.infer<typeof sagaProgressSchema>;

export const handoffResultSchema = z.object({
  operation_id: z.string(),
  /** true when this operation had been done before and nothing was written now */
  replayed: z.boolean(),
  session: z.string(),
  to: z.string(),
  /** canonical id of the new session */
  new_session: z.string(),
  /** id by which the target agent resumes it */
  native_id: z.string(),
  files: z.array(z.string()),
  command: commandSchema,
  receipt: z.string(),
  fidelity: fidelityReportSchema,
  /** the compiled context that goes along with what arrives natively, in the target's tokens; absent = none does */
  compiled: z.object({ tokens: z.number() }).optional(),
  warnings: z.array(warningSchema),
});
export type HandoffResult = z.infer<typeof handoffResultSchema>;

// ---- receipts: RFC 8785 canonical JSON, Ed25519, chained

export const receiptSchema = z.looseObject({
  version: z.literal(1),
  id: z.string(),
  action: z.enum(['handoff', 'handoff.undo', 'export', 'import', 'fork']),
  /** ISO time */
  at: z.string(),
  actor: z.string(),
  session_id: z.string(),
  /** position in this store's chain, from 0 */
  position: z.number().int(),
  /** `sha256:` over the whole preceding receipt with its signature; absent in the first */
  previous: z.string().optional(),
  /** sha256 of what went in and came out: session head, written files, compiled context */
  subjects: z.array(
    z.looseObject({ name: z.string(), sha256: z.string(), path: z.string().optional(), bytes: z.number().optional() }),
  ),
  facts: z.record(z.string(), z.unknown()),
  key_id: z.string(),
  signature: z.string(),
});
export type Receipt = z.infer<typeof receiptSchema>;

export const verdictSchema = z.object({
  ok: z.boolean(),
  checks: z.array(z.object({ id: z.string(), ok: z.boolean(), text: z.string(), detail: z.string().optional() })),
});
export type Verdict = z.infer<typeof verdictSchema>;
