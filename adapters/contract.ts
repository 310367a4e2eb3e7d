import type { AgentId } from '../src/shared/agents.ts';
import type { Result } from '../src/shared/errors.ts';
import type { EventDraft, SessionEvent, Warning } from '../src/shared/events.ts';
import type { Command, Outcome } from '../src/shared/handoff.ts';
import type { SessionRow } from '../src/shared/session.ts';

/**
 * What one agent's adapter must do. All knowledge of an agent's format lies behind it; the engine knows no agent by name.
 * Capture = native → canonical. Materialise = canonical → native. The agent's own files are read-only to both, except
 * that materialise writes one new session.
 */

/** The surroundings an adapter may look at; never `process.env` or `os.homedir()` directly (tests and `--home` set them). */
export interface AgentEnv {
  home: string;
  env: Record<string, string | undefined>;
}

/** A folder or database in which an agent keeps sessions. */
export interface SourceRoot {
  agent: AgentId;
  path: string;
  exists: boolean;
  /** its sub-folders hold no sessions and need not be watched */
  flat?: true;
  /** folders below it in which all sessions lie; absent = anywhere in it */
  folders?: readonly string[];
}

/** How a session came from another one. `native_id` is the other's id by the agent; the engine resolves it. */
export interface NativeParent {
  kind: 'fork' | 'subagent' | 'continuation' | 'reset';
  native_id: string;
  /** call in the parent that started a sub-agent */
  call_id?: string;
}

/** One native session file, or a database with many, found by name and stat alone: nothing of its content was read. */
export interface NativeSource {
  agent: AgentId;
  /**
   * Absolute path; the final handle of a session, since ids can repeat. A session of a database has
   * `<database>#<id>` (io/database-path.ts).
   */
  path: string;
  /**
   * Where its agent first put it, when it moves sessions about (archives, packs); the session stays the one it was.
   * Absent = an agent that leaves them where they are.
   */
  home_path?: string;
  /** A database with many sessions: it is not captured itself, `openDatabase` tells the sessions in it. */
  database?: true;
  /** id by file name; the header may say better at capture */
  native_id: string;
  bytes: number;
  mtime_ms: number;
  archived?: boolean;
  parent?: NativeParent;
}

export interface Discovery {
  roots: SourceRoot[];
  sources: NativeSource[];
  warnings: Warning[];
}

/**
 * Opaque to the engine, JSON, kept with the source: where the next capture goes on.
 * While a session is active the engine hands back the very object that the last capture returned, so an adapter may keep
 * its state in a `WeakMap<Cursor, State>` and needs `stored()` only after a restart (the object is then a parsed copy).
 */
export type Cursor = Record<string, unknown>;

/** Names one canonical session of a source. Old Claude files hold several (sidechains in the main file). */
export interface SessionRef {
  native_id: string;
  /** distinguishes sessions of one source; absent = the main one */
  part?: string;
  parent?: NativeParent;
}

/** Facts about a session that are not events of their own. Later calls overwrite field by field. */
export type SessionFacts = Partial<
  Pick<
    SessionRow,
    'title' | 'title_from' | 'cwd' | 'cwd_last' | 'git_branch' | 'model' | 'agent_version' | 'archived' | 'status'
  >
>;

/** Takes the events of one session in log order. */
export interface SessionSink {
  /** canonical id, known before the first event */
  readonly id: string;
  /** number of the next event */
  readonly next: number;
  /**
   * Appends one event and returns its seq. Key order of payloads does not matter (it is made canonical).
   * `redactions`: how many placeholders the redactor put into the record (given with the record's first event).
   */
  event(draft: EventDraft, redactions?: number): number;
  /** Also kept in the log as meta {key: "warning"}. */
  warning(warning: Warning): void;
  facts(facts: SessionFacts): void;
  /** Events already stored, oldest first: what an incremental capture rebuilds its state from. */
  stored(): AsyncIterable<SessionEvent>;
}

export interface CaptureSink {
  session(ref: SessionRef): SessionSink;
  /** Stores bytes by content and returns `artifact:sha256:<hex>`. The bytes were redacted by the caller. */
  artifact(bytes: Uint8Array, mediaType: string): string;
  /** Canonical id that another native session of this agent has or will have. */
  idOf(source: Pick<NativeSource, 'path' | 'home_path' | 'native_id'>, part?: string): string;
  /** Lets the consumer catch up; awaited at least once per chunk of input. */
  drain(): Promise<void>;
}

/** Sums of one capture. mapped + unknown + declared + unreadable = records (checked by the engine). */
export interface CaptureOutcome {
  cursor: Cursor;
  records: number;
  mapped: number;
  unknown: Record<string, number>;
  /** skipped on purpose, by kind */
  declared: Record<string, number>;
  unreadable: number;
  redactions: Record<string, number>;
  warnings: Warning[];
}

/** The sessions of a database, read from a private snapshot of it (io/sqlite-snapshot.ts). */
export interface OpenDatabase {
  /**
   * Sessions that are new or have changed in any way (rows changed in place too) since the cursor that was given. Their
   * `bytes` and `mtime_ms` are for people and for order alone.
   */
  changed: NativeSource[];
  /** sessions that have not changed */
  unchanged: number;
  /** kept with the database once all of `changed` were captured */
  cursor: Cursor;
  warnings: Warning[];
  /** as `SessionAdapter.capture`, for a source of `changed` */
  capture: SessionAdapter['capture'];
  close(): Promise<void>;
}

export interface CaptureOptions {
  env: AgentEnv;
  /** identity key for secrets and the state of earlier captures of this source (src/core/redact) */
  redactionKey: Uint8Array;
  signal?: AbortSignal;
}

/** A session as a target reads it. Streams: nobody holds a whole session. */
export interface SessionSource {
  row: SessionRow;
  /** Model view in order (src/core/view): what the source agent itself would send on resume. */
  model(): AsyncIterable<SessionEvent>;
  artifact(ref: string): Promise<Uint8Array>;
}

/** A session with all that was ever captured of it, for the way back to its own agent. */
export interface WholeSession extends Pick<SessionSource, 'row' | 'artifact'> {
  /**
   * The logs of all sessions that lie in its native source, its own first: every event in order, whether a model sees it or
   * not. Each iteration begins anew.
   */
  logs(): AsyncIterable<SessionEvent>[];
  /** Set for a sub-agent that goes home with its parent: the parent as it was written. */
  within?: { native_id: string; path: string };
  /** Set where it goes on from the file of another session (`WayHome.base`): that one as it was written. */
  base?: { native_id: string; path: string };
}

/** What becomes of one event on this target; the sum of them is the fidelity report. */
export interface Carry {
  outcome: Outcome;
  /** e.g. "→ exec_command", "kept", "signed by its provider, stays at home" */
  how: string;
}

/** The installed target, found without starting a session. */
export interface Installed {
  path: string;
  version: string | null;
}

export interface MaterializeOptions {
  env: AgentEnv;
  /** id the new session shall have; derived from the operation, so that a retry writes the same */
  nativeId: string;
  title: string;
  cwd: string;
  /** version of the installed target, null = unknown (then the most widely accepted shape) */
  version: string | null;
  /** time of the handoff, seconds */
  at: number;
  /** put in front, e.g. the compiled context of what is not carried natively */
  preface?: string;
  /** honest number of tokens of the model view, so that the target compacts itself in time */
  tokens: number;
}

/**
 * A session written under a temporary name. Nothing of the target sees it before `commit`. Where the target keeps a
 * database, `temp` is a private file with what `commit` will put into it in one transaction.
 */
export interface Written {
  temp: string;
  /** path of the new session: of its file, or `<database>#<id>` */
  final: string;
  bytes: number;
  sha256: string;
  /** further files of the same session, which `commit` puts in place too */
  beside?: { temp: string; final: string }[];
  warnings: Warning[];
  commit(): Promise<Result<void>>;
  abort(): Promise<void>;
}

export interface SessionAdapter {
  readonly id: AgentId;
  readonly label: string;
  /** versions of the agent whose files this adapter was checked against, and when (ISO day) */
  readonly verified: { versions: readonly string[]; on: string };
  /** Fields of ours in what we write for this agent (`<kind>.<field>`, kinds as in src/engine/verify/census.ts), which it passes over. */
  readonly ownFields?: readonly string[];

  /** Finds native sessions by name and stat; reads no content, writes nothing, never follows a link out of its roots twice. */
  discover(env: AgentEnv): Promise<Discovery>;
  /**
   * Turns a file the user points at into a source, or says why it is none. The log beside a database (`-wal`) stands for
   * the database: it is what changes when the agent writes.
   */
  recognise(path: string, env: AgentEnv): Promise<Result<NativeSource>>;
  /** Reads what is new since `cursor` (null = all) into the sink. Damage gives warnings, never an exception. */
  capture(
    source: NativeSource,
    cursor: Cursor | null,
    sink: CaptureSink,
    options: CaptureOptions,
  ): Promise<Result<CaptureOutcome>>;
  /** For agents that move sessions about (`home_path`): where one lies now that is no longer at `path`. Null = nowhere. */
  movedTo?(path: string, env: AgentEnv): Promise<string | null>;
  /**
   * For agents that keep many sessions in one database; `capture` is then called for `database` sources never. `only`: path of
   * the one session that is wanted (`changed` holds it, changed or not, or nothing when there is no such).
   */
  openDatabase?(
    source: NativeSource,
    cursor: Cursor | null,
    options: CaptureOptions & { only?: string },
  ): Promise<Result<OpenDatabase>>;
  /** The official command that goes on with a session of this agent. */
  resume(session: Pick<SessionRow, 'native_id' | 'cwd' | 'source'>, env: AgentEnv): Command;
  installed(env: AgentEnv): Promise<Installed | null>;

  /** Absent: this agent is read-only for us. */
  readonly target?: TargetAdapter;
}

/** Writes a session of some kind, and proves that it arrived. */
export interface SessionWriter<Session> {
  /** Streams the session to a temporary file in the target's folder. */
  write(session: Session, options: MaterializeOptions): Promise<Result<Written>>;
  /** Reads the written file by this adapter's own capture code and compares with what was to be carried. */
  readBack(
    written: Pick<Written, 'temp' | 'final' | 'beside'>,
    session: Session,
    options: MaterializeOptions,
    at: 'temp' | 'final',
  ): Promise<Result<{ items: number }>>;
}

/** Writes sessions back to the agent that they come from. */
export interface WayHome extends SessionWriter<WholeSession> {
  /** False = a session that the agent would not find whole in the form that is written now; absent: every one is. */
  takes?(row: SessionRow, log: AsyncIterable<SessionEvent>): boolean | Promise<boolean>;
  /** Native id of the session whose file this one goes on from and cannot be opened without; null = it stands by itself. */
  base?(log: AsyncIterable<SessionEvent>): Promise<string | null>;
}

/** Its own `write` and `readBack` carry the model view of any agent's session. */
export interface TargetAdapter extends SessionWriter<SessionSource> {
  /**
   * The way home: writes a session of this very agent back from its logs, every native record as it was, with the id and
   * the folder of the options in each record where the agent keeps them. Texts of the conversation never change.
   */
  readonly home?: WayHome;
  /** Window and reserve of the model that the target would use, with the source of the figure. */
  window(env: AgentEnv): Promise<{
    model: string | null;
    window: number;
    reserve: number;
    tokenizer: 'o200k_base';
    factor: number;
    /** where the window comes from, in words for people */
    basis: string;
  }>;
  /** Name of the shape that would be written for a version, and where; `cwd` null = not known. */
  shape(
    version: string | null,
    env: AgentEnv,
    nativeId: string,
    at: number,
    cwd: string | null,
  ): { name: string; files: string[] };
  /**
   * Id of the new session where this agent does not take any UUID. Pure.
   * @param uuid UUID v7 that follows from the operation
   * @param at seconds since the epoch
   */
  nativeId?(uuid: string, at: number): string;
  /**
   * What would refuse a session for this folder now, whatever the session is: told before anything is written, with the error
   * that the writing would end in. `firstStart`: the agent's own program will be started, and never was in this home: it then
   * makes files of its own. Has no effect.
   */
  accepts?(
    env: AgentEnv,
    about: { installed: Installed | null; cwd: string },
  ): Promise<Result<{ firstStart: boolean }>>;
  /** Pure: what this target does with an event of `from`. */
  carry(event: SessionEvent, from: string): Carry;
  /** Makes the target's own picker list the session; a warning when it cannot be done. Idempotent. */
  register(written: Pick<Written, 'final'>, options: MaterializeOptions): Promise<Result<Warning[]>>;
  /**
   * For a target with a database: what stands there under the path of a written session: the very session, another one or
   * a part of it or a session that has grown, or nothing. Files the engine compares itself.
   */
  standing?(
    written: Pick<Written, 'final' | 'sha256'>,
    options: Pick<MaterializeOptions, 'nativeId'>,
  ): Promise<Result<'same' | 'other' | 'absent'>>;
  /** Removes what write and register made, unless the session has grown since. Idempotent. Gives what could not go. */
  remove(written: Pick<Written, 'final' | 'sha256'>, options: MaterializeOptions): Promise<Result<string[]>>;
}
