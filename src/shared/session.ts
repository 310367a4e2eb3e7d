import { z } from 'zod';
import { type Usage, warningSchema } from './events.ts';

/** Counts of the active conversation (the names of the case schema), kept with each session. */
export const countsSchema = z.object({
  /** prompts a person sent, queued ones too */
  user: z.number().int(),
  /** replies with text; all parts of one reply count once */
  assistant: z.number().int(),
  tool_call: z.number().int(),
  tool_result: z.number().int(),
  /** readable reasoning blocks */
  thinking: z.number().int(),
  /** image blocks, also inside results */
  image: z.number().int(),
  compaction: z.number().int(),
});
export type Counts = z.infer<typeof countsSchema>;
export const NO_COUNTS: Counts = {
  user: 0,
  assistant: 0,
  tool_call: 0,
  tool_result: 0,
  thinking: 0,
  image: 0,
  compaction: 0,
};

export const usageSchema = z.object({
  input: z.number(),
  output: z.number(),
  cache_read: z.number(),
  cache_write: z.number(),
  reasoning: z.number(),
}) satisfies z.ZodType<Required<Omit<Usage, 'cost'>>>;
export type UsageTotals = z.infer<typeof usageSchema>;
export const NO_USAGE: UsageTotals = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 };

/**
 * How a session came from its parent: it copied what was said so far; it was handed over by us; a call started it; it goes on
 * where the parent was compacted; it was begun afresh in the parent's place, with nothing of it.
 */
export const parentKindSchema = z.enum(['fork', 'handoff', 'subagent', 'continuation', 'reset']);
export type ParentKind = z.infer<typeof parentKindSchema>;

/** One row of the session list: everything a list needs, kept incrementally, never computed by reading events. */
export const sessionRowSchema = z.object({
  id: z.string(),
  agent: z.string(),
  native_id: z.string(),
  /** path of the native file or database; null for imported bundles */
  source: z.string().nullable(),
  title: z.string().nullable(),
  /** where the title comes from */
  title_from: z.enum(['user', 'agent', 'prompt', 'none']),
  first_prompt: z.string().nullable(),
  last_prompt: z.string().nullable(),
  cwd: z.string().nullable(),
  cwd_last: z.string().nullable(),
  git_branch: z.string().nullable(),
  model: z.string().nullable(),
  agent_version: z.string().nullable(),
  /** seconds since the epoch; null = unknown */
  started_at: z.number().nullable(),
  last_activity: z.number().nullable(),
  counts: countsSchema,
  /** what this session itself used: a plain sum over sessions counts each answer once */
  usage: usageSchema,
  /** tokens that the next request of this session would carry, as far as known from usage; else an estimate */
  context_tokens: z.number().nullable(),
  events: z.number().int(),
  /** events of it that were copied from the session that it was forked off; their usage counts there */
  copied: z.number().int(),
  /** size of the native source in bytes */
  bytes: z.number().int(),
  parent: z.string().nullable(),
  parent_kind: parentKindSchema.nullable(),
  children: z.array(z.string()),
  /** how many of the children there are of each kind */
  kin: z.partialRecord(parentKindSchema, z.number().int()),
  /** number of leaves in the in-session tree (1 = no dead branch) */
  branches: z.number().int(),
  errors: z.number().int(),
  redactions: z.number().int(),
  unknown_records: z.number().int(),
  warnings: z.array(warningSchema),
  archived: z.boolean(),
  status: z.enum(['idle', 'working', 'ended_mid_tool', 'empty']),
});
export type SessionRow = z.infer<typeof sessionRowSchema>;

/** A session that was made here: no agent has a file of it, and its log is ours to go on with. */
export const isOwn = ({ id, native_id, source }: Pick<SessionRow, 'id' | 'native_id' | 'source'>): boolean =>
  source === null && native_id === id;

// ---- manifest: immutable genesis part, head part derived from the log, one signature over both

export const MANIFEST_SCHEMA_VERSION = '0.1.0';

export const manifestSchema = z.looseObject({
  schema_version: z.string(),
  session_id: z.string(),
  session_uri: z.string(),
  /** the raw cwd is not in it */
  project: z.looseObject({ name: z.string(), cwd_hash: z.string().nullable(), git_head: z.string().nullable() }),
  created_by: z.looseObject({ agent: z.string(), adapter_version: z.string(), session_id: z.string() }),
  current_owner: z.looseObject({ agent: z.string(), granted_at: z.number().nullable() }),
  parent_session: z.string().nullable(),
  lineage: z.looseObject({ root: z.string(), fork_of: z.string().nullable(), merged_into: z.string().nullable() }),
  event_count: z.number().int(),
  first_seq: z.number().int(),
  last_seq: z.number().int(),
  /** checksum of the last event */
  head: z.string(),
  compiled_context: z.looseObject({ at_seq: z.number(), sha256: z.string(), tokens: z.number() }).nullable(),
  /** grows with each signed head */
  version: z.number().int(),
  signature: z.looseObject({ alg: z.literal('ed25519'), key_id: z.string(), sig: z.string() }),
});
export type Manifest = z.infer<typeof manifestSchema>;

export const sessionIdPattern = /^sess_[0-9a-f]{20}$/;
