import { z } from 'zod';

/** What a compile is asked for. */
export const compileInputSchema = z.object({
  session: z.string(),
  /** agent that reads it */
  for: z.string(),
  /** tokens; default: what the target's window leaves, up to a bound */
  budget: z.number().int().positive().optional(),
  /** tokens that the default budget may have at most; a smaller window has less, where a `budget` would be refused */
  at_most: z.number().int().positive().optional(),
  /** tokens that the target keeps for its own prompt and its answer; default: those of the target */
  reserve: z.number().int().nonnegative().optional(),
  /** bound in UTF-16 units, besides the tokens */
  max_chars: z.number().int().positive().optional(),
  /** the session as it stood at this event */
  at: z.number().int().nonnegative().optional(),
  /** tokens of the target's model for one of the tokenizer; default: that of the agent, calibrated where sessions tell */
  factor: z.number().positive().max(10).optional(),
  /** only what is new since this session of the target last knew; our own records of handoffs tell what it knows */
  since: z.string().optional(),
});
export type CompileInput = z.infer<typeof compileInputSchema>;

/** What of the target's window a page may take, and where the figures come from. */
export const windowSchema = z.object({
  model: z.string().nullable(),
  /** tokens */
  tokens: z.number().int(),
  reserve: z.number().int(),
  basis: z.string(),
});

/** What a session of the target knows of another one. */
export const knownSchema = z.object({
  session: z.string(),
  agent: z.string(),
  native_id: z.string(),
  /** last event of the source that it knows */
  seq: z.number().int(),
  /** turns that it has taken since by itself */
  own_turns: z.number().int(),
});
export type Known = z.infer<typeof knownSchema>;

/** Who made the narrative part. */
export const summarisedSchema = z.object({
  name: z.string(),
  model: z.string().optional(),
  /** false: the same input can give other bytes */
  deterministic: z.boolean(),
  /** of a model: those taken, and those refused for want of evidence */
  conclusions: z.number().int(),
  refused: z.number().int(),
  /** why a model was not used after all */
  fell_back: z.string().optional(),
});

const itemBase = {
  id: z.string(),
  kind: z.string(),
  text: z.string(),
  tokens: z.number().int(),
  /** events that it comes from */
  provenance: z.array(z.number().int()),
  /** those of them that are no longer on the active branch */
  inactive: z.array(z.number().int()).optional(),
};

export const compiledSchema = z.object({
  target: z.string(),
  budget: z.number().int(),
  tokens: z.number().int(),
  /** ± of `tokens` */
  margin: z.number().int(),
  tokenizer: z.string(),
  factor: z.number(),
  /** last event that was looked at */
  head: z.number().int(),
  sha256: z.string(),
  text: z.string(),
  items: z.array(
    z.object({
      ...itemBase,
      priority: z.enum(['p0', 'p1', 'p2']),
      trust: z.enum(['verified', 'user_said', 'agent_said', 'stale', 'failed']),
      /** seen in the folder itself; `at` in seconds */
      workspace: z.object({ folder: z.string(), at: z.number() }).optional(),
    }),
  ),
  dropped: z.array(z.object({ ...itemBase, reason: z.string() })),
  cannot_see: z.array(z.string()),
  summariser: summarisedSchema,
  window: windowSchema.optional(),
  since: knownSchema.optional(),
  workspace: z.object({ folder: z.string(), at: z.number() }).optional(),
  /** command that gives these bytes again; absent where nothing can: the folder, models and what a reader knows change */
  reproduce: z.string().optional(),
});
export type CompiledContext = z.infer<typeof compiledSchema>;
