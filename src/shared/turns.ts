import { z } from 'zod';
import { TOOL_KINDS } from './events.ts';
import { usageSchema } from './session.ts';

/** What fills a window, by cause; the order is that of charts. */
export const TOKEN_CAUSES = ['prompts', 'replies', 'thinking', 'calls', 'results', 'context'] as const;
export type TokenCause = (typeof TOKEN_CAUSES)[number];

const tokensByCauseSchema = z.object(
  Object.fromEntries(TOKEN_CAUSES.map((cause) => [cause, z.number().int()])) as Record<TokenCause, z.ZodInt>,
);
export type TokensByCause = z.infer<typeof tokensByCauseSchema>;

/**
 * One turn: a prompt and everything until the next one. What stands before the first prompt is turn 0, where there is
 * anything to see. Derived from the log, over all branches, in its order.
 */
export const turnSchema = z.object({
  turn: z.number().int(),
  /** first and last event */
  seq: z.number().int(),
  last_seq: z.number().int(),
  /** event that its first one hangs on; null = none */
  parent_seq: z.number().int().nullable(),
  /** seconds since the epoch; null = unknown */
  ts: z.number().nullable(),
  /** from the first event with a time to the last one, in seconds */
  seconds: z.number().nullable(),
  /** the prompt's first words on one line; '' before the first prompt */
  prompt: z.string(),
  /** first words of the last reply on one line; '' = there is none */
  reply: z.string(),
  model: z.string().nullable(),
  /** false: on a dead branch, or undone */
  active: z.boolean(),
  /** true: copied from the session that this one was forked off; said and paid for there */
  copied: z.boolean(),
  /** what its answers used, each counted once */
  usage: usageSchema,
  /** tokens in the window after its last answer; null = not told */
  context_tokens: z.number().nullable(),
  /** what it put into the window, estimated (o200k) */
  added: tokensByCauseSchema,
  tools: z.partialRecord(z.enum(TOOL_KINDS), z.number().int()),
  /** sub-agents that it called: the session, and the call */
  subagents: z.array(z.object({ session: z.string(), seq: z.number().int() })),
  errors: z.number().int(),
  /** files edited, each once, in the order of the first edit; at most 20 */
  files: z.array(z.string()),
  /** how many there are in all */
  files_edited: z.number().int(),
  /** exit code of the last command that told one */
  exit_code: z.number().int().nullable(),
  /** compactions in it, oldest first: the event, and the window before and after where it is told */
  compactions: z.array(
    z.object({ seq: z.number().int(), before: z.number().nullable(), after: z.number().nullable() }),
  ),
});
export type Turn = z.infer<typeof turnSchema>;
