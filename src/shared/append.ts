import { z } from 'zod';
import { actorPattern, TOOL_KINDS, typePattern } from './events.ts';

/** What a program may put into a session by itself: shapes, and what is filled in. The contract is events.ts. */

const block = z.union([
  z.looseObject({ kind: z.literal('text'), text: z.string() }),
  z.looseObject({
    kind: z.enum(['image', 'document']),
    media_type: z.string(),
    artifact: z.string().regex(/^artifact:sha256:[0-9a-f]{64}$/),
    bytes: z.number().int().nonnegative(),
  }),
  z.looseObject({ kind: z.literal('opaque'), native: z.unknown() }),
]);

/** Blocks, or one text. */
const content = z
  .union([z.string(), z.array(block).min(1)])
  .transform((given) => (typeof given === 'string' ? [{ kind: 'text' as const, text: given }] : given));

const name = z.string().min(1).max(200);
const todo = z.looseObject({
  id: name,
  text: z.string(),
  status: z.enum(['pending', 'in_progress', 'done', 'cancelled']).default('pending'),
  order: z.number().int().default(0),
});

/** Payloads of the types that a program may append. Other fields are kept. */
const PAYLOADS: Record<string, z.ZodType<Record<string, unknown>>> = {
  'message.user': z.looseObject({
    content,
    via: z.enum(['prompt', 'queued', 'steer', 'command']).default('prompt'),
  }),
  'message.system': z.looseObject({
    content,
    role: z.enum(['user', 'developer', 'system']).default('system'),
    about: z
      .enum(['instructions', 'environment', 'reminder', 'hook', 'notice', 'file', 'command_output'])
      .default('notice'),
  }),
  'message.assistant': z.looseObject({ response: name.optional(), content, model: name.optional() }),
  'message.thinking': z.looseObject({
    response: name.optional(),
    text: z.string().optional(),
    form: z.enum(['plain', 'signed', 'summary', 'encrypted']).default('plain'),
  }),
  'tool.call': z.looseObject({
    response: name.optional(),
    call_id: name,
    name,
    arguments: z.union([z.record(z.string(), z.unknown()), z.string()]),
    tool: z.enum(TOOL_KINDS).default('other'),
  }),
  'tool.result': z.looseObject({
    call_id: name,
    content,
    is_error: z.boolean().default(false),
    exit_code: z.number().int().optional(),
    closed: z.enum(['ran', 'interrupted', 'denied', 'missing']).default('ran'),
  }),
  'file.read': z.looseObject({ path: z.string().min(1) }),
  'file.edit': z.looseObject({ path: z.string().min(1), op: z.enum(['create', 'edit', 'delete', 'move']) }),
  'command.run': z.looseObject({ cmd: z.string().min(1), stdout_tail: z.string().default('') }),
  'todo.add': todo,
  'todo.update': todo,
  decision: z.looseObject({ conclusion: z.string().min(1) }),
  'memory.write': z.looseObject({ key: name, value: z.unknown(), scope: name.default('project') }),
  checkpoint: z.looseObject({ label: z.string().optional(), artifacts: z.array(z.string()).default([]) }),
  'session.end': z.looseObject({ end_reason: name }),
  meta: z.looseObject({ key: name, value: z.unknown() }),
};

/** Types that change what other events mean, or that other commands write with all that belongs to them. */
const RESERVED: ReadonlySet<string> = new Set([
  'session.start',
  'session.fork',
  'session.merge',
  'handoff',
  'context.compiled',
  'context.compacted',
]);

/** Keys of `meta` that a program may write. */
const META_KEYS: ReadonlySet<string> = new Set(['title', 'label', 'usage', 'model', 'mode', 'settings']);

/** What says something about a session and is no part of its conversation: it may go into an agent's session too. */
export const isRemark = ({ type, payload }: Pick<AppendEvent, 'type' | 'payload'>): boolean =>
  type === 'checkpoint' ||
  type === 'decision' ||
  type === 'memory.write' ||
  /^(note|goal|run)\./.test(type) ||
  (type === 'meta' && payload.key === 'label');

export const appendEventSchema = z
  .strictObject({
    type: z.string().max(100).regex(typePattern),
    payload: z.record(z.string(), z.unknown()),
    /** absent: the user for prompts, the session's agent for what it says, the system for the rest */
    actor: z.string().max(100).regex(actorPattern).optional(),
    /** seconds since the epoch; absent: now */
    ts: z.number().nonnegative().nullable().optional(),
    level: z.union([z.literal(0), z.literal(1), z.literal(2)]).default(1),
    refs: z.array(z.string().min(1).max(1000)).max(1000).default([]),
    /** event that it follows; absent: the end of the conversation */
    parent_seq: z.number().int().nonnegative().optional(),
  })
  .transform((event, context) => {
    const { type, payload } = event;
    const wrong = (message: string, path: string[]) => {
      context.addIssue({ code: 'custom', message, path });
      return z.NEVER;
    };
    if (RESERVED.has(type)) return wrong(`${type} is not appended: the commands that do it write it`, ['type']);
    if (type === 'meta' && !META_KEYS.has(String(payload.key)))
      return wrong(`meta may have one of the keys ${[...META_KEYS].join(', ')}`, ['payload', 'key']);
    const shape = Object.hasOwn(PAYLOADS, type) ? PAYLOADS[type] : undefined;
    if (shape === undefined) return event;
    const parsed = shape.safeParse(payload);
    if (parsed.success) return { ...event, payload: parsed.data };
    for (const issue of parsed.error.issues)
      context.addIssue({ code: 'custom', message: issue.message, path: ['payload', ...issue.path] });
    return z.NEVER;
  });

/** What a program gives. */
export type AppendInput = z.input<typeof appendEventSchema>;
export type AppendEvent = z.output<typeof appendEventSchema>;

export const createSessionSchema = z.strictObject({
  /** whose session it is: an agent known here, or a name of your own */
  agent: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/),
  title: z.string().min(1).max(1000).optional(),
  /** absolute path of the folder that it works in */
  cwd: z.string().min(1).max(4096).nullable().default(null),
  git_branch: z.string().max(400).optional(),
  git_head: z.string().max(100).optional(),
  model: z.string().max(200).optional(),
  agent_version: z.string().max(100).optional(),
  /** seconds since the epoch; absent: now */
  started_at: z.number().nonnegative().optional(),
});
export type CreateSession = z.input<typeof createSessionSchema>;

/** Most events of one append. */
export const MOST_EVENTS = 10_000;
