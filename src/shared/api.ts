import { z } from 'zod';
import { SESSION_HAS } from './choices.ts';
import { compiledSchema, compileInputSchema } from './compiled.ts';
import { type AppError, ERROR_CODES, type Result } from './errors.ts';
import { warningSchema } from './events.ts';
import {
  commandSchema,
  handoffInputSchema,
  handoffPlanSchema,
  handoffResultSchema,
  receiptSchema,
  sagaProgressSchema,
  verdictSchema,
} from './handoff.ts';
import { injectionSchema } from './injection.ts';
import { graphRowSchema } from './lineage.ts';
import { compileFormatSchema, exportFormatSchema } from './outputs.ts';
import { searchQuerySchema, searchResultSchema } from './search.ts';
import { sessionRowSchema } from './session.ts';
import { transcriptRowSchema } from './transcript.ts';
import { turnSchema } from './turns.ts';

/**
 * The whole boundary between the engine and the faces of it (app in Electron, app in a browser, CLI).
 * Electron IPC and the localhost server serve the same table; nothing crosses that is not in it.
 */

const id = z.string().min(1).max(200);
const none = z.object({});

export const appErrorSchema = z.object({
  code: z.enum(ERROR_CODES),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
});

/** Where the root key lives. `weaker` is said in doctor and in the status bar. */
export const keyStateSchema = z.object({
  kind: z.enum(['keychain', 'passphrase', 'keyfile', 'none']),
  weaker: z.boolean(),
  text: z.string(),
});

export const infoSchema = z.object({
  version: z.string(),
  host: z.enum(['electron', 'web', 'cli']),
  platform: z.string(),
  home: z.string(),
  sample: z.boolean(),
  initialised: z.boolean(),
  keys: keyStateSchema,
  sessions: z.number().int(),
  events: z.number().int(),
  store_bytes: z.number().int(),
  watching: z.boolean(),
  agents: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      installed: z.boolean(),
      version: z.string().nullable(),
      can_receive: z.boolean(),
      why_not: z.string().optional(),
      verified: z.array(z.string()),
    }),
  ),
});
export type AppInfo = z.infer<typeof infoSchema>;

export const sourceSchema = z.object({
  agent: z.string(),
  label: z.string(),
  root: z.string(),
  exists: z.boolean(),
  enabled: z.boolean(),
  /** native sessions found by name alone, nothing was read; a database counts as one */
  sessions: z.number().int(),
  /** so many of them are databases, which can hold any number of sessions; absent = none */
  databases: z.number().int().optional(),
  bytes: z.number().int(),
  warnings: z.array(warningSchema),
});
export type SourceInfo = z.infer<typeof sourceSchema>;

export const jobSchema = z.object({
  id,
  kind: z.enum(['import', 'verify', 'export']),
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  text: z.string(),
  done: z.number().int(),
  total: z.number().int(),
  bytes: z.number().int(),
  events: z.number().int(),
  sessions_changed: z.number().int(),
  warnings: z.array(warningSchema),
  /** the file that an export wrote */
  path: z.string().optional(),
  error: appErrorSchema.optional(),
});
export type Job = z.infer<typeof jobSchema>;

export const sessionQuerySchema = z.object({
  /** words searched in titles, prompts and paths (case-insensitive, all must match) */
  text: z.string().max(500).optional(),
  agent: z.string().optional(),
  cwd: z.string().optional(),
  has: z.array(z.enum(SESSION_HAS)).optional(),
  /** seconds since the epoch */
  after: z.number().optional(),
  before: z.number().optional(),
  /** false (default) hides sub-agents */
  subagents: z.boolean().optional(),
  /** false (default) hides sessions without any conversation */
  empty: z.boolean().optional(),
  sort: z.enum(['recent', 'oldest', 'title', 'size']).optional(),
  offset: z.number().int().nonnegative().default(0),
  limit: z.number().int().positive().max(1000).default(200),
});
export type SessionQuery = z.input<typeof sessionQuerySchema>;

export const jumpsSchema = z.object({
  /** ordinals of transcript rows, ascending */
  prompts: z.array(z.number().int()),
  replies: z.array(z.number().int()),
  tools: z.array(z.number().int()),
  errors: z.array(z.number().int()),
});

export const transcriptPageSchema = z.object({
  /** rows known in all; ordinals run from 0 to total - 1 */
  total: z.number().int(),
  /** last event of the log when this page was made */
  head_seq: z.number().int(),
  from: z.number().int(),
  rows: z.array(transcriptRowSchema),
});

export const procedures = {
  'app.info': { input: none, output: infoSchema },
  'app.init': {
    input: z.object({ passphrase: z.string().min(8).optional(), keyfile: z.boolean().optional() }),
    output: z.object({ keys: keyStateSchema, recovery_key: z.string().optional() }),
  },
  'sources.list': { input: none, output: z.array(sourceSchema) },
  'sources.set': { input: z.object({ agent: z.string(), enabled: z.boolean() }), output: z.array(sourceSchema) },
  'import.start': { input: z.object({ agent: z.string().optional(), path: z.string().optional() }), output: jobSchema },
  'jobs.list': { input: none, output: z.array(jobSchema) },
  'jobs.cancel': { input: z.object({ id }), output: jobSchema },
  'sessions.list': {
    input: sessionQuerySchema,
    output: z.object({ total: z.number().int(), rows: z.array(sessionRowSchema) }),
  },
  /** Full text over all events, hits by session. Indexes what is missing first, within `wait_ms`; `index` says how far it is. */
  'sessions.search': { input: searchQuerySchema, output: searchResultSchema },
  /** By canonical id, native id, unique prefix or source path. More than one candidate: `selection_required`. */
  'sessions.get': { input: z.object({ id }), output: sessionRowSchema },
  'sessions.lineage': { input: z.object({ id }), output: z.array(sessionRowSchema) },
  'sessions.files': {
    input: z.object({ id }),
    output: z.array(
      z.object({ path: z.string(), reads: z.number().int(), edits: z.number().int(), last_seq: z.number().int() }),
    ),
  },
  /** The session's turns with what each used, added and touched; oldest first. */
  'sessions.turns': {
    input: z.object({
      id,
      from: z.number().int().nonnegative().default(0),
      limit: z.number().int().positive().max(1000).default(1000),
    }),
    output: z.object({ total: z.number().int(), head_seq: z.number().int(), turns: z.array(turnSchema) }),
  },
  /** The graph of the session's family: rows newest first, the session's own line in the first lane. */
  'lineage.graph': {
    input: z.object({
      id,
      /** a row for each turn, or one for each plain stretch */
      rows: z.enum(['turns', 'segments']).default('segments'),
      subagents: z.boolean().default(true),
      /** ids of stretches that are drawn turn by turn */
      open: z.array(z.string()).max(1000).default([]),
      from: z.number().int().nonnegative().default(0),
      limit: z.number().int().positive().max(500).default(200),
    }),
    output: z.object({
      total: z.number().int(),
      /** of the whole family, each event and each answer once */
      sessions: z.number().int(),
      events: z.number().int(),
      tokens: z.number(),
      rows: z.array(graphRowSchema),
    }),
  },
  /**
   * A new session that goes on from everything up to and including an event. Nothing is copied: it is read with those events
   * in front, its own are numbered on from there. The same operation id never makes a second one.
   */
  'sessions.fork': {
    input: z.object({
      id,
      at_seq: z.number().int().nonnegative(),
      reason: z.string().min(1).max(2000).optional(),
      operation_id: id.optional(),
    }),
    output: z.object({
      session: sessionRowSchema,
      from_session: z.string(),
      from_seq: z.number().int(),
      receipt: z.string(),
      /** it was made before under this operation id */
      replayed: z.boolean(),
    }),
  },
  /** Marks a point of a session: one event, and a manifest signed at it. */
  'sessions.checkpoint': {
    input: z.object({ id, label: z.string().min(1).max(2000).optional(), operation_id: id.optional() }),
    output: z.object({ session: z.string(), seq: z.number().int(), checksum: z.string(), replayed: z.boolean() }),
  },
  /** Everything to paint a session: the row, the jump lists and one page (the end when `from` is absent). */
  'transcript.open': {
    input: z.object({
      id,
      from: z.number().int().nonnegative().optional(),
      limit: z.number().int().positive().max(500).default(200),
    }),
    output: z.object({ session: sessionRowSchema, jumps: jumpsSchema, page: transcriptPageSchema }),
  },
  'transcript.rows': {
    input: z.object({ id, from: z.number().int().nonnegative(), limit: z.number().int().positive().max(500) }),
    output: transcriptPageSchema,
  },
  /** The row that shows an event, for links and for the rows of a fidelity table. */
  'transcript.locate': {
    input: z.object({ id, seq: z.number().int().nonnegative() }),
    output: z.object({ ordinal: z.number().int() }),
  },
  'events.get': {
    input: z.object({ id, seq: z.number().int().nonnegative() }),
    output: z.record(z.string(), z.unknown()),
  },
  /** Bytes as base64; the web host also serves GET /artifact/<hash> with the session cookie. */
  'artifacts.get': {
    input: z.object({ hash: z.string() }),
    output: z.object({ media_type: z.string(), base64: z.string() }),
  },
  'compile.run': { input: compileInputSchema, output: compiledSchema },
  /** The same as files: a page laid out for its agent, a working memory, an A2A task. `file`: where the page will lie. */
  'compile.files': {
    input: compileInputSchema.extend({ format: compileFormatSchema, file: z.string().max(4096).optional() }),
    output: z.object({
      compiled: compiledSchema,
      files: z.array(z.object({ name: z.string(), media_type: z.string(), text: z.string(), sha256: z.string() })),
      injection: injectionSchema.optional(),
    }),
  },
  /** Writes a session for people or other programs below `exports` of our own folder; the job ends with its `path`. */
  'export.start': {
    input: z.object({
      session: id,
      format: exportFormatSchema,
      /** undone turns and dead branches too, marked */
      all: z.boolean().default(false),
      subagents: z.boolean().default(true),
    }),
    output: jobSchema,
  },
  'handoff.preflight': { input: handoffInputSchema, output: handoffPlanSchema },
  'handoff.execute': { input: handoffInputSchema.extend({ operation_id: id }), output: handoffResultSchema },
  /** Removes the written session if it has no new turns. */
  'handoff.undo': {
    input: z.object({ operation_id: id }),
    output: z.object({ removed: z.array(z.string()), left: z.array(z.string()) }),
  },
  'resume.command': { input: z.object({ id }), output: commandSchema },
  /** Electron only: opens the system's terminal with the command. */
  'resume.open': { input: z.object({ id }), output: z.object({ opened: z.boolean() }) },
  'receipts.list': {
    input: z.object({
      session: id.optional(),
      offset: z.number().int().nonnegative().default(0),
      limit: z.number().int().positive().max(1000).default(200),
    }),
    output: z.object({ total: z.number().int(), rows: z.array(receiptSchema) }),
  },
  'receipts.get': { input: z.object({ id }), output: receiptSchema },
  'receipts.verify': { input: z.object({ id }), output: verdictSchema },
  'verify.session': { input: z.object({ id }), output: verdictSchema },
  'sample.start': { input: none, output: z.object({ home: z.string() }) },
} as const satisfies Record<string, { input: z.ZodType; output: z.ZodType }>;

export type ProcedureName = keyof typeof procedures;
/** What a caller passes (defaults may be left out). */
export type Input<N extends ProcedureName> = z.input<(typeof procedures)[N]['input']>;
/** What an implementation receives. */
export type Parsed<N extends ProcedureName> = z.output<(typeof procedures)[N]['input']>;
export type Output<N extends ProcedureName> = z.output<(typeof procedures)[N]['output']>;

/** What the engine tells all its faces. Small facts: whoever needs more asks for it. */
export const appEventSchema = z.discriminatedUnion('topic', [
  z.object({
    topic: z.literal('session'),
    id: z.string(),
    change: z.enum(['added', 'appended', 'changed', 'removed']),
    head_seq: z.number().int(),
  }),
  z.object({ topic: z.literal('job'), job: jobSchema }),
  z.object({ topic: z.literal('handoff'), progress: sagaProgressSchema }),
  z.object({ topic: z.literal('receipt'), id: z.string() }),
  z.object({ topic: z.literal('sources') }),
  /** told by a bridge whose connection was away: any event may be missing, so all that is known is asked for again */
  z.object({ topic: z.literal('missed') }),
]);
export type AppEvent = z.infer<typeof appEventSchema>;

/** One call on the wire: POST /api/<name> with the input as JSON, or the IPC channel `sessionctl:call`. */
export type Envelope<N extends ProcedureName> = Result<Output<N>, AppError>;

/** The bridge a transport gives to the renderer (`window.sessionctl` in Electron). */
export interface Bridge {
  host: 'electron' | 'web';
  call<N extends ProcedureName>(name: N, input: Input<N>, signal?: AbortSignal): Promise<Envelope<N>>;
  /** Returns the function that ends the subscription. */
  subscribe(listener: (event: AppEvent) => void): () => void;
  /** URL of an artifact's bytes, or null where the host has none (then `artifacts.get`). */
  artifactUrl(hash: string): string | null;
}

/**
 * What the preload puts on `window.sessionctl` in Electron. A context bridge cannot carry an AbortSignal, so a call has a
 * number by which it is cancelled; the renderer's client makes a Bridge of it.
 */
export interface PreloadBridge extends Omit<Bridge, 'call'> {
  invoke(name: string, input: unknown): { id: number; answer: Promise<unknown> };
  cancel(id: number): void;
}
