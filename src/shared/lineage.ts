import { z } from 'zod';
import { parentKindSchema, sessionRowSchema } from './session.ts';

/**
 * The graph of a family of sessions, newest row first. A node is a place in one session's log; the line from a node goes
 * down to the one that it came from.
 */

export const NODE_KINDS = ['start', 'turn', 'run', 'compaction', 'merge', 'handoff', 'subagent'] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

/** A lane that is drawn in a row: a line above the middle, below it, or a bend between the row's node and the lane. */
export const strokeSchema = z.object({
  lane: z.number().int(),
  /** agent whose colour it has */
  agent: z.string(),
  /** a sub-agent's */
  dashed: z.boolean(),
  above: z.boolean(),
  below: z.boolean(),
  /** joins the node from above: a branch starts here; from below: something was merged in */
  bend: z.enum(['above', 'below']).nullable(),
});
export type Stroke = z.infer<typeof strokeSchema>;

export const graphRowSchema = z.object({
  /** `<session>:<seq>`, the same for as long as the log lives */
  id: z.string(),
  session: z.string(),
  agent: z.string(),
  kind: z.enum(NODE_KINDS),
  seq: z.number().int(),
  last_seq: z.number().int(),
  /** number of the turn, of the newest one in a run */
  turn: z.number().int(),
  /** turns in it: more than one in a run, whose `id` opens it */
  turns: z.number().int(),
  ts: z.number().nullable(),
  /** from its first event to its last */
  seconds: z.number().nullable(),
  /** the prompt, the session's title, what a merge brought */
  text: z.string(),
  /** tokens used; of a compaction the window before and after it */
  tokens: z.number(),
  before: z.number().nullable(),
  after: z.number().nullable(),
  files: z.number().int(),
  errors: z.number().int(),
  /** false: on a dead branch */
  active: z.boolean(),
  /** the last of its session: its branch, or its title where the branch says nothing */
  head: z.object({ label: z.string(), status: sessionRowSchema.shape.status }).nullable(),
  /** how the session came from its parent, on the session's first node */
  came: parentKindSchema.nullable(),
  /** false: where it hangs is known by time alone */
  exact: z.boolean(),
  /** sessions that start here */
  branches: z.array(z.string()),
  /** further branches here that got no lane */
  more: z.number().int(),
  lane: z.number().int(),
  strokes: z.array(strokeSchema),
});
export type GraphRow = z.infer<typeof graphRowSchema>;
