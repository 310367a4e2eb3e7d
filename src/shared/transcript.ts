import { z } from 'zod';
import { TOOL_KINDS } from './events.ts';

/**
 * Display rows of one session. Their ordinals are stable for a given head of the log: rows follow the log's order over
 * all events (active and inactive), new events only add rows at the end or extend the last tool group.
 */

export const blockSchema = z.union([
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({
    kind: z.literal('image'),
    media_type: z.string(),
    artifact: z.string(),
    bytes: z.number(),
    alt: z.string().optional(),
  }),
  z.object({
    kind: z.literal('document'),
    name: z.string().optional(),
    media_type: z.string(),
    artifact: z.string(),
    bytes: z.number(),
  }),
  z.object({ kind: z.literal('opaque'), native: z.unknown() }),
]);
export type ShownBlock = z.infer<typeof blockSchema>;

const base = {
  ordinal: z.number().int(),
  /** first event of the row */
  seq: z.number().int(),
  ts: z.number().nullable(),
  /** false: on a dead branch, or undone */
  active: z.boolean(),
  /** false: before the last compaction, so the agent itself no longer sees it */
  in_model: z.boolean(),
  /** copied from another session when this one was forked off it: said there */
  copied: z.literal(true).optional(),
};

export const toolCardSchema = z.object({
  seq: z.number().int(),
  call_id: z.string(),
  name: z.string(),
  tool: z.enum(TOOL_KINDS),
  /** the one input that matters: the command, the path, the pattern */
  header: z.string(),
  arguments: z.unknown(),
  child_session: z.string().optional(),
  result: z
    .object({
      seq: z.number().int(),
      is_error: z.boolean(),
      closed: z.enum(['ran', 'interrupted', 'denied', 'missing']),
      exit_code: z.number().optional(),
      duration_ms: z.number().optional(),
      content: z.array(blockSchema),
      truncated: z.object({ bytes: z.number(), artifact: z.string() }).optional(),
    })
    .nullable(),
  /** unified diff, for edits and writes */
  diff: z.string().optional(),
  added: z.number().int().optional(),
  removed: z.number().int().optional(),
});
export type ToolCard = z.infer<typeof toolCardSchema>;

export const transcriptRowSchema = z.discriminatedUnion('kind', [
  z.object({
    ...base,
    kind: z.literal('prompt'),
    /** number of the turn, from 1 */
    turn: z.number().int(),
    via: z.enum(['prompt', 'queued', 'steer', 'command']),
    content: z.array(blockSchema),
  }),
  z.object({
    ...base,
    kind: z.literal('text'),
    model: z.string().optional(),
    synthetic: z.boolean(),
    content: z.array(blockSchema),
  }),
  z.object({ ...base, kind: z.literal('thinking'), form: z.string(), text: z.string().nullable() }),
  z.object({ ...base, kind: z.literal('tools'), calls: z.array(toolCardSchema), errors: z.number().int() }),
  z.object({
    ...base,
    kind: z.literal('rule'),
    rule: z.enum(['compaction', 'fork', 'handoff', 'merge', 'end']),
    text: z.string(),
    content: z.array(blockSchema).optional(),
    tokens_before: z.number().optional(),
    tokens_after: z.number().optional(),
    /** session at the other end of a fork or handoff */
    session: z.string().optional(),
  }),
  z.object({ ...base, kind: z.literal('system'), about: z.string(), content: z.array(blockSchema) }),
  z.object({ ...base, kind: z.literal('unknown'), record_type: z.string(), count: z.number().int() }),
  z.object({
    ...base,
    kind: z.literal('warning'),
    about: z.string(),
    detail: z.string(),
    line: z.number().int().optional(),
  }),
]);
export type TranscriptRow = z.infer<typeof transcriptRowSchema>;
