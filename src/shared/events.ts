import { z } from 'zod';

/**
 * The canonical event: one line of a session's append-only log.
 * Only the envelope is validated on reading; unknown types and fields are kept (open namespace).
 */

/** Known types. The order is the stable type code of the store's index: append only, never reorder. */
export const EVENT_TYPES = [
  'meta',
  'session.start',
  'session.end',
  'message.user',
  'message.system',
  'message.assistant',
  'message.thinking',
  'tool.call',
  'tool.result',
  'file.read',
  'file.edit',
  'command.run',
  'todo.add',
  'todo.update',
  'decision',
  'memory.write',
  'checkpoint',
  'context.compiled',
  'context.compacted',
  'handoff',
  'session.fork',
  'session.merge',
] as const;
export type KnownEventType = (typeof EVENT_TYPES)[number];
export type EventType = KnownEventType | (string & {});

/** Derived from tool calls (`refs` names the call): never written back, never counted beside their call. */
export const DERIVED_TYPES: ReadonlySet<string> = new Set([
  'file.read',
  'file.edit',
  'command.run',
  'todo.add',
  'todo.update',
]);

export const typePattern = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$/;
export const actorPattern = /^(user|system|agent:[a-z0-9][a-z0-9_-]*)$/;
export const checksumPattern = /^sha256:[0-9a-f]{64}$/;

/** Identity of a native record: (agent, source, session, native_id, part). */
export const originSchema = z.looseObject({
  agent: z.string(),
  /** which store of that agent, e.g. the file's path relative to its root; absent = the session's first source */
  source: z.string().optional(),
  /**
   * Id of the native session that this record was copied from when the session was forked off it; absent = it is the
   * session's own. The copy's usage counts there (src/core/view/copies.ts).
   */
  session: z.string().optional(),
  native_id: z.string().nullable(),
  /** number of the native record in its source (a line number for JSONL), from 0 */
  native_seq: z.number().int().nonnegative(),
  /** which part of one native record, from 0; absent = 0 */
  part: z.number().int().nonnegative().optional(),
  /** the record's own time exactly as written, where `ts` does not give it back */
  native_ts: z.union([z.string(), z.number()]).optional(),
});
export type Origin = z.infer<typeof originSchema>;

export const eventSchema = z.looseObject({
  seq: z.number().int().nonnegative(),
  /** seconds since the epoch, source precision; null = the source gives no time (never filled in) */
  ts: z.number().nullable(),
  agent: z.string().min(1),
  actor: z.string().regex(actorPattern),
  type: z.string().regex(typePattern),
  /** what this event can guarantee on a foreign agent: 2 whole record, 1 working state, 0 history */
  level: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  payload: z.record(z.string(), z.unknown()),
  /** `seq:12`, `artifact:sha256:<hex>`, `file:path@digest` */
  refs: z.array(z.string()),
  /** parent in the in-session tree, always smaller than `seq`; null = root */
  parent_seq: z.number().int().nonnegative().nullable(),
  origin: originSchema.nullable(),
  checksum: z.string().regex(checksumPattern),
});

/** One event as stored and exported. */
export interface SessionEvent<P = Record<string, unknown>> {
  seq: number;
  ts: number | null;
  agent: string;
  actor: string;
  type: EventType;
  level: 0 | 1 | 2;
  payload: P;
  refs: string[];
  parent_seq: number | null;
  origin: Origin | null;
  checksum: string;
}

/** An event before the log gives it its number and checksum. */
export type EventDraft<P = Record<string, unknown>> = Omit<SessionEvent<P>, 'seq' | 'checksum'>;

// ---- content

export type ContentBlock =
  | { kind: 'text'; text: string }
  | { kind: 'image'; media_type: string; artifact: string; bytes: number; alt?: string }
  | { kind: 'document'; name?: string; media_type: string; artifact: string; bytes: number }
  | { kind: 'opaque'; native: unknown };

/** Where a long text was cut: head and tail stay in the event, the whole (redacted) lies in the artifact. */
export interface Truncated {
  bytes: number;
  artifact: string;
}

// ---- payloads (the contract for what we write; readers accept more)

export interface SessionStart {
  cwd: string | null;
  git_branch?: string;
  git_head?: string;
  model?: string;
  agent_version?: string;
  config?: Record<string, unknown>;
  native_parent?: string;
  native?: unknown;
}
export interface MessageUser {
  content: ContentBlock[];
  via: 'prompt' | 'queued' | 'steer' | 'command';
  native?: unknown;
}
/** What a harness put into the user or developer role. Hidden by default, never a title. */
export interface MessageSystem {
  content: ContentBlock[];
  role: 'user' | 'developer' | 'system';
  about: 'instructions' | 'environment' | 'reminder' | 'hook' | 'notice' | 'file' | 'command_output';
  /** true when the agent sends this to its model on resume */
  to_model?: boolean;
  native?: unknown;
}
export interface MessageAssistant {
  /** groups the events of one model answer; every response counts once */
  response: string;
  content: ContentBlock[];
  model?: string;
  stop_reason?: string;
  phase?: string;
  /** written by the client, not by a model (API errors, "No response requested."): not sent, not counted */
  synthetic?: boolean;
  /** the kind of failure that a synthetic message tells of */
  error?: string;
  usage?: Usage;
  native?: unknown;
}
export interface MessageThinking {
  response: string;
  text?: string;
  form: 'plain' | 'signed' | 'summary' | 'encrypted';
  /** signature or encrypted data: whole or absent, never changed */
  opaque?: unknown;
  provider?: string;
  /** of an answer that broke off and that the agent never sends again, as in `MessageAssistant` */
  synthetic?: boolean;
  usage?: Usage;
  native?: unknown;
}
export const TOOL_KINDS = [
  'shell',
  'read',
  'write',
  'edit',
  'search',
  'web',
  'todo',
  'plan',
  'agent',
  'mcp',
  'code',
  'other',
] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];
export interface ToolCall {
  response: string;
  call_id: string;
  name: string;
  arguments: Record<string, unknown> | string;
  tool: ToolKind;
  server?: string;
  child_session?: string;
  /** of an answer that broke off and that the agent never sends again, as in `MessageAssistant` */
  synthetic?: boolean;
  usage?: Usage;
  native?: unknown;
}
export interface ToolResult {
  call_id: string;
  content: ContentBlock[];
  is_error: boolean;
  exit_code?: number;
  duration_ms?: number;
  truncated?: Truncated;
  /** the whole output, where the agent put it into a file of its own: its model sees the text of this event alone */
  spilled?: Truncated;
  /** the client's own richer twin of the result */
  structured?: unknown;
  closed: 'ran' | 'interrupted' | 'denied' | 'missing';
  native?: unknown;
}
export interface FileRead {
  path: string;
  range?: [number, number | null];
}
export interface FileEdit {
  path: string;
  op: 'create' | 'edit' | 'delete' | 'move';
  diff?: string;
  before_digest?: string;
  after_digest?: string;
}
export interface CommandRun {
  cmd: string;
  cwd?: string;
  exit_code?: number;
  stdout_tail: string;
  duration_ms?: number;
}
export interface Todo {
  id: string;
  text: string;
  status: 'pending' | 'in_progress' | 'done' | 'cancelled';
  order: number;
}
export interface ContextCompacted {
  trigger: 'auto' | 'manual' | 'remote';
  summary: ContentBlock[];
  /** events kept verbatim behind the summary, in the order the model sees them */
  kept: number[];
  /** the kept events stand before the summary (Claude: anchor = boundary) */
  kept_first?: boolean;
  /** no compaction: earlier events were left out or replaced, `kept` is all that is sent of them from now on */
  edit?: boolean;
  tokens_before?: number;
  tokens_after?: number;
  native?: unknown;
}
export interface SessionFork {
  from_session: string;
  /** null for what an agent forked by itself: it copied what was said, and does not tell where it left it */
  from_seq: number | null;
  reason?: string;
  /** checksum of that event, in a fork of ours alone: it holds no copy, and is read with those events in front */
  from_checksum?: string;
  /**
   * Id by its agent of the session, where this one was written by us as a copy of it, and how new that was: what is not newer is
   * that session's. What an agent forks itself is known by the adapter.
   */
  copied_from?: string;
  /** seconds */
  copied_until?: number;
}
/** This handoff event: a session was continued in another agent. Ownership comes with the handoff protocol. */
export interface Handoff {
  operation_id: string;
  from_agent: string;
  to_agent: string;
  /** canonical id of the new session */
  to_session: string;
  /** id by which the target agent resumes it */
  to_native_id: string;
  mode: string;
  receipt: string;
  note?: string;
  /** last event of the new session that was written by us; absent where it was not read at once */
  to_seq?: number;
  /** then: what its agent adds is newer than this (seconds) */
  to_until?: number;
  /** delta: the session of the target's agent that the new one goes on with */
  since?: string;
  /** delta: turns that one had taken by itself, which the source does not know */
  since_turns?: number;
  state: 'done' | 'undone';
}
// meta {key, value}: title, model, mode, leaf, label, usage, settings, snapshot, record, unknown, `dropped:<type>`, warning

/** Token usage of one response. The four counts are disjoint: `input` excludes cache. */
export interface Usage {
  input?: number;
  output?: number;
  cache_read?: number;
  cache_write?: number;
  reasoning?: number;
  cost?: number;
}

/** A defect or oddity met while reading. Shown where it occurs and counted. */
export const warningSchema = z.looseObject({
  about: z.string(),
  detail: z.string(),
  file: z.string().optional(),
  /** from 1, as editors count */
  line: z.number().int().optional(),
  field: z.string().optional(),
  count: z.number().int().optional(),
});
export interface Warning {
  about: string;
  detail: string;
  file?: string;
  line?: number;
  field?: string;
  count?: number;
  /** unknown fields are kept, as `warningSchema` does */
  [field: string]: unknown;
}
