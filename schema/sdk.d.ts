// The public types of sessionctl. Made by `npm run api-report` from src/sdk/sdk.ts; a change of it is a change of the API.

/** What is known of one agent's format. No store is needed. */
export interface Adapter {
    readonly id: string;
    readonly label: string;
    info(): Promise<AdapterInfo>;
    /** The sessions that this agent has here. Databases are named, not opened. */
    discover(surroundings?: Surroundings): Promise<FoundSession[]>;
    /** The installed program, found without starting a session; null = none. */
    installed(surroundings?: Surroundings): Promise<{
        path: string;
        version: string | null;
    } | null>;
    /** The agent's own command that goes on with a session. */
    resumeCommand(session: NamedSession, surroundings?: Surroundings): Promise<Command>;
}

/** Which versions an adapter was checked against, and what it can do. */
export interface AdapterInfo {
    /** sessions can be written for this agent */
    can_write: boolean;
    verified: {
        versions: readonly string[];
        on: string;
    };
}

/** The agents whose sessions are understood. */
export declare const AdapterRegistry: {
    /** Ids of all agents. */
    list(): readonly string[];
    /** @throws SessionctlError invalid_request, naming the agents that are known */
    get(agent: string): Adapter;
};

/** An event to append. What is left out is filled in; docs/sdk.md names the payloads. */
export type AppendEvent = {
  type: string;
  payload: {
    [field: string]: unknown;
  };
  /** absent: the user for prompts, the session's agent for what it says, the system for the rest */
  actor?: string;
  /** seconds since the epoch; absent: now */
  ts?: number | null;
  level?: 0 | 1 | 2;
  refs?: string[];
  /** event that it follows; absent: the end of the conversation */
  parent_seq?: number;
};

/** What an append did. */
export type Appended = {
  session: string;
  /** numbers of the new events */
  seqs: number[];
  /** secrets that were taken out of them before they were stored */
  redacted: number;
  /** true: it was done before under this operation id, and nothing was written now */
  replayed: boolean;
};

/** A marked point. */
export type Checkpoint = {
  session: string;
  seq: number;
  checksum: string;
  replayed: boolean;
};

/** One line of a transcript: any JSON with a type. */
export interface ClaudeSessionEntry {
    type: string;
    uuid?: string;
    timestamp?: string;
    [field: string]: unknown;
}

/** Names a transcript of the Claude Agent SDK. */
export interface ClaudeSessionKey {
    projectKey: string;
    sessionId: string;
    /** a sub-agent's transcript; absent = the main one */
    subpath?: string;
}

/**
 * A `SessionStore` for the Claude Agent SDK: `query({ options: { sessionStore: new ClaudeSessionStore(store) } })`. It mirrors
 * transcripts into the encrypted store, and gives them back for a resume on another machine or in another container.
 *
 * What looks like a secret is taken out before anything is stored, so `load` gives entries that are deep-equal to what was
 * appended but for placeholders in place of secrets. An entry with a `uuid` is kept once, however often it is appended.
 */
export declare class ClaudeSessionStore {
    #private;
    constructor(store: Store);
    /** Puts entries at the end: all, or an error and none. */
    append(key: ClaudeSessionKey, entries: ClaudeSessionEntry[]): Promise<void>;
    /** All entries in order; null for what was never written or was deleted. */
    load(key: ClaudeSessionKey): Promise<ClaudeSessionEntry[] | null>;
    /** Main transcripts of a project with the time of their last append, in milliseconds. */
    listSessions(projectKey: string): Promise<{
        sessionId: string;
        mtime: number;
    }[]>;
    /** Deletes a transcript; the main one takes those of its sub-agents with it. */
    delete(key: ClaudeSessionKey): Promise<void>;
    /** Subpaths of a session. */
    listSubkeys({ projectKey, sessionId }: {
        projectKey: string;
        sessionId: string;
    }): Promise<string[]>;
}

/** A command to type, with the folder to type it in. */
export type Command = {
  argv: string[];
  cwd: string | null;
  /** one line for a shell, quoted */
  text: string;
};

export interface CompileOptions {
    /** a bound in UTF-16 units, besides the tokens */
    max_chars?: number;
    /** tokens that the target keeps for its own prompt and its answer; default: those of the target */
    reserve?: number;
    /** the session as it stood at this event */
    at?: number;
    /** only what is new since this session of the target last knew */
    since?: string;
    signal?: AbortSignal;
}

/** A page made for the next agent, within a budget. */
export type CompiledContext = {
  target: string;
  budget: number;
  tokens: number;
  /** ± of `tokens` */
  margin: number;
  tokenizer: string;
  factor: number;
  /** last event that was looked at */
  head: number;
  sha256: string;
  text: string;
  items: {
    priority: "p0" | "p1" | "p2";
    trust: "agent_said" | "failed" | "stale" | "user_said" | "verified";
    id: string;
    kind: string;
    text: string;
    tokens: number;
    /** events that it comes from */
    provenance: number[];
    /** seen in the folder itself; `at` in seconds */
    workspace?: {
      folder: string;
      at: number;
    };
    /** those of them that are no longer on the active branch */
    inactive?: number[];
  }[];
  dropped: {
    reason: string;
    id: string;
    kind: string;
    text: string;
    tokens: number;
    /** events that it comes from */
    provenance: number[];
    /** those of them that are no longer on the active branch */
    inactive?: number[];
  }[];
  cannot_see: string[];
  summariser: {
    name: string;
    /** false: the same input can give other bytes */
    deterministic: boolean;
    /** of a model: those taken, and those refused for want of evidence */
    conclusions: number;
    refused: number;
    model?: string;
    /** why a model was not used after all */
    fell_back?: string;
  };
  window?: {
    model: string | null;
    /** tokens */
    tokens: number;
    reserve: number;
    basis: string;
  };
  since?: {
    session: string;
    agent: string;
    native_id: string;
    /** last event of the source that it knows */
    seq: number;
    /** turns that it has taken since by itself */
    own_turns: number;
  };
  workspace?: {
    folder: string;
    at: number;
  };
  /** command that gives these bytes again; absent where nothing can: the folder, models and what a reader knows change */
  reproduce?: string;
};

/** Makes the page that the next agent needs. */
export declare const Compiler: {
    /**
     * What a successor must know of a session, within a budget, with what was left out and why. Without any model; the same
     * session gives the same bytes.
     * @param target agent that will read it
     * @param budget tokens of its model; default: what its window leaves, up to a bound
     * @throws SessionctlError p0_over_budget when what must not be cut does not fit
     */
    compile(session: Session, target: string, budget?: number, { signal, ...options }?: CompileOptions): Promise<CompiledContext>;
};

/** Why something could not be done. */
export type ErrorCode = "cancelled" | "chain_broken" | "ingestion_incomplete" | "internal" | "invalid_request" | "key_locked" | "key_missing" | "key_wrong" | "no_conversation" | "not_a_session" | "not_found" | "operation_id_conflict" | "p0_over_budget" | "readback_mismatch" | "recovery_required" | "register_failed" | "scope_denied" | "selection_required" | "signature_invalid" | "source_not_enabled" | "source_still_running" | "source_unreadable" | "source_withdrawn" | "store_busy" | "store_corrupt" | "store_full" | "store_read_only" | "store_uninitialised" | "store_version_too_new" | "target_exists" | "target_unavailable" | "target_unsupported" | "unknown_cwd" | "window_exceeded" | "write_failed";

/** A form in which a session is written out. */
export type ExportFormat = "atif" | "html" | "json" | "markdown";

export interface ExportOptions {
    format: ExportFormat;
    /** undone turns and dead branches too, marked; default false */
    all?: boolean;
    /** its sub-agents too; default true */
    subagents?: boolean;
    signal?: AbortSignal;
}

/** A file that was written, what was redacted, and the receipt's id. */
export type Exported = {
  path: string | null;
  format: ExportFormat;
  session: string;
  /** sub-agents that went along */
  subagents: number;
  bytes: number;
  sha256: string;
  images: {
    included: number;
    left: number;
  };
  redaction: {
    removed: number;
    by_type: {
      [field: string]: number;
    };
  };
  warnings: {
    about: string;
    detail: string;
    file?: string;
    line?: number;
    field?: string;
    count?: number;
    [field: string]: unknown;
  }[];
  receipt: string;
};

/** What becomes of each part of a conversation. */
export type FidelityReport = {
  rows: {
    /** block kind in stable words: prompt, reply, thinking, shell, read, edit, …, image, compaction, context, unknown */
    kind: string;
    outcome: "converted" | "dropped" | "kept" | "summarised";
    count: number;
    /** in the target's tokens, estimated */
    tokens: number;
    /** what happens to it, e.g. "→ exec_command", "signed by its provider, stays at home" */
    how: string;
    /** the concrete events, as inclusive ranges */
    seqs: [number, number][];
  }[];
  events: {
    total: number;
    arriving: number;
  };
  tokens: {
    total: number;
    arriving: number;
  };
};

/** A session that an agent has on this machine, found by name; nothing of it was read. */
export interface FoundSession {
    native_id: string;
    path: string;
    bytes: number;
    mtime_ms: number;
}

export interface HandoffOptions extends Once {
    mode?: 'native' | 'native-tail' | 'context' | 'delta';
    /** native-tail: so many of the last turns */
    turns?: number;
    /** the new session's folder; default: that of the session */
    cwd?: string;
    signal?: AbortSignal;
}

/** What a handoff would do. */
export type HandoffPlan = {
  session: string;
  from: string;
  to: string;
  title: string;
  target: {
    agent: string;
    label: string;
    installed: boolean;
    version: string | null;
    /** which native shape will be written, e.g. "paginated rollout (≥ 0.149)" */
    shape: string;
  };
  mode: "context" | "delta" | "native" | "native-tail";
  modes: {
    mode: "context" | "delta" | "native" | "native-tail";
    tokens: number;
    possible: boolean;
    turns?: number;
    why?: string;
    /** delta: what it goes on with */
    since?: {
      session: string;
      agent: string;
      native_id: string;
      /** last event of the source that it knows */
      seq: number;
      /** turns that it has taken since by itself */
      own_turns: number;
    };
  }[];
  checks: {
    id: string;
    level: "note" | "ok" | "stop" | "warn";
    text: string;
    detail?: string;
  }[];
  fidelity: FidelityReport;
  budget: {
    model: string | null;
    window: number;
    reserve: number;
    /** what this handoff would put into the window */
    used: number;
    /** ± of `used`, in tokens */
    margin: number;
    tokenizer: string;
    parts: {
      name: "history" | "p0" | "p1" | "p2";
      tokens: number;
    }[];
  };
  redaction: {
    removed: number;
    by_type: {
      [field: string]: number;
    };
  };
  /** absolute paths that will be written; the id in them is a placeholder until the handoff runs */
  files: string[];
  command: Command;
  ready: boolean;
  /** why not, when not ready */
  refused?: {
    code: string;
    message: string;
  };
};

/** What a handoff did. */
export type HandoffResult = {
  operation_id: string;
  /** true when this operation had been done before and nothing was written now */
  replayed: boolean;
  session: string;
  to: string;
  /** canonical id of the new session */
  new_session: string;
  /** id by which the target agent resumes it */
  native_id: string;
  files: string[];
  command: Command;
  receipt: string;
  fidelity: FidelityReport;
  warnings: Warning[];
  /** the compiled context that goes along with what arrives natively, in the target's tokens; absent = none does */
  compiled?: {
    tokens: number;
  };
};

/** Signs for a store and checks what others signed. The private key stays in the store's own thread. */
export declare class Identity {
    #private;
    /** The key that others check with (raw Ed25519, base64), and its id. Give it by another way than what it signs. */
    key(): Promise<{
        key_id: string;
        public_key: string;
    }>;
    /**
     * Signs the manifest of a session as its log says now; of what is given, only the session's id is believed. A head that was
     * signed before gives the same manifest.
     */
    sign(manifest: Pick<Manifest, 'session_id'>): Promise<Manifest>;
    /** Whether a manifest is exactly what its key signed. `public_key` is the signer's; this store's own is known. */
    verify(manifest: Manifest, public_key?: string): Promise<ManifestVerdict>;
}

/** What an import read. */
export type ImportSummary = {
  /** sources with the same size and time as at their last capture; they were not opened */
  unchanged: number;
  /** canonical ids of sessions that were added or have grown */
  changed: string[];
  /** what went wrong or looked odd, at most 1000; `dropped_warnings` counts the rest */
  warnings: {
    about: string;
    detail: string;
    file?: string;
    line?: number;
    field?: string;
    count?: number;
    [field: string]: unknown;
  }[];
  dropped_warnings: number;
  text: string;
  done: number;
  total: number;
  /** native bytes read */
  bytes: number;
  events: number;
  sessions_changed: number;
};

/** A session's signed summary: what it is, where its log ends, what it came from. */
export type Manifest = {
  schema_version: string;
  session_id: string;
  session_uri: string;
  /** the raw cwd is not in it */
  project: {
    name: string;
    cwd_hash: string | null;
    git_head: string | null;
    [field: string]: unknown;
  };
  created_by: {
    agent: string;
    adapter_version: string;
    session_id: string;
    [field: string]: unknown;
  };
  current_owner: {
    agent: string;
    granted_at: number | null;
    [field: string]: unknown;
  };
  parent_session: string | null;
  lineage: {
    root: string;
    fork_of: string | null;
    merged_into: string | null;
    [field: string]: unknown;
  };
  event_count: number;
  first_seq: number;
  last_seq: number;
  /** checksum of the last event */
  head: string;
  compiled_context: {
    at_seq: number;
    sha256: string;
    tokens: number;
    [field: string]: unknown;
  } | null;
  /** grows with each signed head */
  version: number;
  signature: {
    alg: "ed25519";
    key_id: string;
    sig: string;
    [field: string]: unknown;
  };
  [field: string]: unknown;
};

/** What the signature of a manifest is worth. */
export type ManifestVerdict = {
  /** the manifest is exactly what that key signed */
  ok: boolean;
  key_id: string;
  /** false: the key is not known here, so nothing could be checked */
  known: boolean;
};

/** What names a session of an agent. */
export type NamedSession = Pick<SessionRow, 'native_id' | 'cwd' | 'source'>;

/** A session to make. */
export type NewSession = {
  /** whose session it is: an agent known here, or a name of your own */
  agent: string;
  title?: string;
  /** absolute path of the folder that it works in */
  cwd?: string | null;
  git_branch?: string;
  git_head?: string;
  model?: string;
  agent_version?: string;
  /** seconds since the epoch; absent: now */
  started_at?: number;
};

/** A request that is done once under its id: made again it answers what it did. */
export interface Once {
    operation_id?: string;
}

/** A proof of something that was done. */
export type Receipt = {
  version: 1;
  id: string;
  action: "export" | "fork" | "handoff" | "handoff.undo" | "import";
  /** ISO time */
  at: string;
  actor: string;
  session_id: string;
  /** position in this store's chain, from 0 */
  position: number;
  /** sha256 of what went in and came out: session head, written files, compiled context */
  subjects: {
    name: string;
    sha256: string;
    path?: string;
    bytes?: number;
    [field: string]: unknown;
  }[];
  facts: {
    [field: string]: unknown;
  };
  key_id: string;
  signature: string;
  /** `sha256:` over the whole preceding receipt with its signature; absent in the first */
  previous?: string;
  [field: string]: unknown;
};

/** Where to search, which page, how long to index first. */
export type SearchOptions = {
  /** only there; several: any of them */
  in?: ("error" | "note" | "prompt" | "reply" | "summary" | "system" | "thinking" | "title" | "tool")[];
  agent?: string;
  /** this folder and what lies below it */
  cwd?: string;
  has?: ("error" | "image" | "secret" | "subagent" | "warning")[];
  /** said since then, and before then; seconds since the epoch. An event without a time counts as said when its session was */
  after?: number;
  before?: number;
  /** false leaves sub-agents out */
  subagents?: boolean;
  /** where the page begins: `next` of the page before, or a number of sessions to skip */
  offset?: number;
  /** sessions of this page */
  limit?: number;
  /** only in this session: an id, or whatever names it */
  session?: string;
  /** hits shown of each session, the best first */
  hits?: number;
  /** hits to skip of each session, to see more of one */
  hits_offset?: number;
  /** how long the search may index what is missing before it answers with what there is, in ms */
  wait_ms?: number;
};

/** Sessions with their hits. `matches` are places in `text`, in UTF-16 units. */
export type SearchResult = {
  /** sessions with hits, the best first */
  sessions: {
    session: SessionRow;
    /** where it came from, e.g. whose sub-agent it is */
    parent: {
      id: string;
      agent: string;
      title: string | null;
      kind: "continuation" | "fork" | "handoff" | "reset" | "subagent";
    } | null;
    /** events that match */
    total: number;
    /** false: `total` is about right, and more than the hits that were looked at */
    exact: boolean;
    hits: {
      seq: number;
      /** row of the transcript that shows it; null when none does */
      ordinal: number | null;
      ts: number | null;
      kind: "note" | "prompt" | "reply" | "summary" | "system" | "thinking" | "title" | "tool";
      /** it failed */
      error: boolean;
      /** of a tool: its name */
      tool: string | null;
      /** false: on a dead branch, or undone */
      active: boolean;
      /** false: before the last compaction, so the agent itself no longer sees it */
      in_model: boolean;
      /** copied from another session when this one was forked off it; where that one is in the store, it is found there alone */
      copied: boolean;
      /** a piece of the event around the match, white space as it is. Plain text from history: show it as that */
      text: string;
      /** what matched: [from, to) in `text`, in UTF-16 units, ascending, apart */
      matches: [number, number][];
      /** there is more text before and behind */
      more_before: boolean;
      more_after: boolean;
    }[];
  }[];
  total: {
    sessions: number;
    hits: number;
    /** false: at least so many; what matches much is not counted to the end */
    exact: boolean;
  };
  /** `offset` of the next page; null = this was the last */
  next: number | null;
  /** what of the query was not taken as it may have been meant, in sentences */
  notes: string[];
  index: {
    complete: boolean;
    /** sessions that are wholly in the index, of how many */
    sessions: number;
    sessions_total: number;
    events: number;
    events_total: number;
  };
};

/** One session of a store. */
export declare class Session {
    #private;
    readonly id: string;
    private constructor();
    /**
     * @param id its id, the agent's own id of it, the beginning of either, or the path of its file
     * @throws SessionctlError not_found; selection_required with `details.candidates` when it can mean several
     */
    static open(id: string, store: Store): Promise<Session>;
    /** Makes a session of your own. The same `operation_id` never makes a second one. */
    static create(session: NewSession, store: Store, options?: Once): Promise<Session>;
    /** As it was when it was opened, or at the last `refresh`. */
    get row(): SessionRow;
    refresh(): Promise<SessionRow>;
    /**
     * Puts events at the end: all or none. They are checked and redacted first, then numbered and chained. A session that was
     * captured from an agent takes remarks alone (checkpoint, decision, memory.write, note.*): `scope_denied` for the rest.
     */
    append(events: AppendEvent | readonly AppendEvent[], options?: Once): Promise<Appended>;
    /** At most `limit` events (1000 at once) from number `cursor` on; `next` is the cursor to go on with. */
    read(cursor?: number, limit?: number): Promise<{
        events: SessionEvent[];
        next: number;
        head_seq: number;
    }>;
    /**
     * All events from number `cursor` on, then those that come, whoever writes them, until `signal` is aborted or the store is
     * closed. `follow: false` ends at the last one.
     */
    tail(cursor?: number, options?: {
        follow?: boolean;
        signal?: AbortSignal;
    }): AsyncGenerator<SessionEvent, void, undefined>;
    /** A new session that goes on from everything up to and including an event. Nothing is copied; this one stays as it is. */
    fork(at_seq: number, options?: Once & {
        reason?: string;
    }): Promise<Session>;
    /** Marks the end of the session as it is now, and signs it. */
    checkpoint(label?: string, options?: Once): Promise<Checkpoint>;
    /** What a handoff would keep, convert and lose, and where it would be written. No effect at all. */
    preflight(to: string, note?: string, options?: HandoffOptions): Promise<HandoffPlan>;
    /** Writes a new session for another agent and says the command that goes on with it. This one is never changed. */
    handoff(to: string, note?: string, options?: HandoffOptions): Promise<HandoffResult>;
    /**
     * Writes it to a file for people or other programs; `path` must not exist yet. Texts are redacted on the way, images cannot
     * be. The file appears whole or not at all, and a receipt is kept.
     * @throws SessionctlError target_exists, write_failed, cancelled
     */
    export(path: string, { format, all, subagents, signal }: ExportOptions): Promise<Exported>;
    /** The agent's own command that goes on with it; `target_unsupported` for a session of your own. */
    resumeCommand(): Promise<Command>;
    /** Its manifest, signed at its present end. */
    manifest(): Promise<Manifest>;
}

/** One event of a session. */
export type SessionEvent = {
  seq: number;
  ts: number | null;
  agent: string;
  actor: string;
  type: "checkpoint" | "command.run" | "context.compacted" | "context.compiled" | "decision" | "file.edit" | "file.read" | "handoff" | "memory.write" | "message.assistant" | "message.system" | "message.thinking" | "message.user" | "meta" | "session.end" | "session.fork" | "session.merge" | "session.start" | "todo.add" | "todo.update" | "tool.call" | "tool.result" | string & {};
  level: 0 | 1 | 2;
  payload: {
    [field: string]: unknown;
  };
  refs: string[];
  parent_seq: number | null;
  origin: {
    agent: string;
    native_id: string | null;
    /** number of the native record in its source (a line number for JSONL), from 0 */
    native_seq: number;
    /** which store of that agent, e.g. the file's path relative to its root; absent = the session's first source */
    source?: string;
    /**
     * Id of the native session that this record was copied from when the session was forked off it; absent = it is the
     * session's own. The copy's usage counts there (src/core/view/copies.ts).
     */
    session?: string;
    /** which part of one native record, from 0; absent = 0 */
    part?: number;
    /** the record's own time exactly as written, where `ts` does not give it back */
    native_ts?: number | string;
    [field: string]: unknown;
  } | null;
  checksum: string;
};

/** A page of a list, and how many there are in all. */
export type SessionList = {
  total: number;
  rows: SessionRow[];
};

/** What to list. */
export type SessionQuery = {
  /** words searched in titles, prompts and paths (case-insensitive, all must match) */
  text?: string;
  agent?: string;
  cwd?: string;
  has?: ("error" | "image" | "secret" | "subagent" | "warning")[];
  /** seconds since the epoch */
  after?: number;
  before?: number;
  /** false (default) hides sub-agents */
  subagents?: boolean;
  /** false (default) hides sessions without any conversation */
  empty?: boolean;
  sort?: "oldest" | "recent" | "size" | "title";
  offset?: number;
  limit?: number;
};

/** A session as lists show it. */
export type SessionRow = {
  id: string;
  agent: string;
  native_id: string;
  /** path of the native file or database; null for imported bundles */
  source: string | null;
  title: string | null;
  /** where the title comes from */
  title_from: "agent" | "none" | "prompt" | "user";
  first_prompt: string | null;
  last_prompt: string | null;
  cwd: string | null;
  cwd_last: string | null;
  git_branch: string | null;
  model: string | null;
  agent_version: string | null;
  /** seconds since the epoch; null = unknown */
  started_at: number | null;
  last_activity: number | null;
  counts: {
    /** prompts a person sent, queued ones too */
    user: number;
    /** replies with text; all parts of one reply count once */
    assistant: number;
    tool_call: number;
    tool_result: number;
    /** readable reasoning blocks */
    thinking: number;
    /** image blocks, also inside results */
    image: number;
    compaction: number;
  };
  /** what this session itself used: a plain sum over sessions counts each answer once */
  usage: {
    input: number;
    output: number;
    cache_read: number;
    cache_write: number;
    reasoning: number;
  };
  /** tokens that the next request of this session would carry, as far as known from usage; else an estimate */
  context_tokens: number | null;
  events: number;
  /** events of it that were copied from the session that it was forked off; their usage counts there */
  copied: number;
  /** size of the native source in bytes */
  bytes: number;
  parent: string | null;
  parent_kind: "continuation" | "fork" | "handoff" | "reset" | "subagent" | null;
  children: string[];
  /** how many of the children there are of each kind */
  kin: {
    subagent?: number;
    fork?: number;
    handoff?: number;
    continuation?: number;
    reset?: number;
  };
  /** number of leaves in the in-session tree (1 = no dead branch) */
  branches: number;
  errors: number;
  redactions: number;
  unknown_records: number;
  warnings: Warning[];
  archived: boolean;
  status: "empty" | "ended_mid_tool" | "idle" | "working";
};

/** What every call of this package throws when it cannot do its work. */
export declare class SessionctlError extends Error {
    /** one of the codes of docs/errors.md */
    readonly code: ErrorCode;
    /** JSON for programs, e.g. `candidates` of `selection_required` */
    readonly details: Readonly<Record<string, unknown>>;
}

/** An agent's store of sessions. */
export type Source = {
  agent: string;
  label: string;
  root: string;
  exists: boolean;
  enabled: boolean;
  /** native sessions found by name alone, nothing was read; a database counts as one */
  sessions: number;
  bytes: number;
  warnings: Warning[];
  /** so many of them are databases, which can hold any number of sessions; absent = none */
  databases?: number;
};

/** The encrypted store of sessions. Close it: until then it keeps the process alive. */
export declare class Store {
    /** the key that signs for this store */
    readonly identity: Identity;
    /** shown once, when `create` made the store: the way back when its key is lost */
    readonly recovery_key: string | null;
    private constructor();
    /**
     * Opens the store of this machine. Several programs may have it open at once, the app and the CLI among them.
     * @throws SessionctlError store_uninitialised, key_missing, key_wrong, key_locked, store_corrupt, store_version_too_new
     */
    static local(options?: StoreOptions): Promise<Store>;
    /** Sessions, newest first unless `sort` says otherwise. */
    list(query?: SessionQuery): Promise<SessionList>;
    /**
     * Searches all that was said and done: words, "phrases", begin*, -not, filters (docs/cli.md). Hits come by session, the best first.
     * What is not indexed yet is indexed first, for at most `wait_ms` (1000); `index` of the answer says how far that is.
     */
    search(query: string, options?: SearchOptions): Promise<SearchResult>;
    /** A session with its ancestors and all their descendants. */
    lineage(id: string): Promise<SessionRow[]>;
    /** Agents and how many sessions they have here. Nothing is read of those that are not enabled. */
    sources(): Promise<Source[]>;
    /** Allows an agent's sessions to be read, or no longer. */
    enable(agent: string, enabled?: boolean): Promise<Source[]>;
    /** Reads what is new: of the enabled agents, of one of them, or of a file or folder (naming it is consent). */
    import(what?: {
        agent?: string;
        path?: string;
        signal?: AbortSignal;
    }): Promise<ImportSummary>;
    /** Checks a session's log, its manifest, and what it was forked off. */
    verify(id: string): Promise<Verdict>;
    /** Ends what runs and closes the files. Calls after it are refused. */
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

/** Where a store lies, and what opens it. */
export interface StoreOptions {
    /** its folder; default: $SESSIONCTL_HOME, else ~/.sessionctl */
    home?: string;
    /** makes the store when there is none: where its key is kept. Without it a missing store is `store_uninitialised` */
    create?: 'keychain' | 'keyfile' | {
        passphrase: string;
    };
    /** opens a store that is locked by one; default: $SESSIONCTL_PASSPHRASE */
    passphrase?: string;
    /** home of the user, in which agents keep their sessions; default: that of the process */
    user_home?: string;
    /** environment in which agents are looked for; default: that of the process */
    env?: Record<string, string | undefined>;
    /** read what enabled agents write while the store is open */
    watch?: boolean;
}

/** Home and environment in which an agent is looked for; default: those of the process. */
export interface Surroundings {
    user_home?: string;
    env?: Record<string, string | undefined>;
}

/** Checks, each with what it found. */
export type Verdict = {
  ok: boolean;
  checks: {
    id: string;
    ok: boolean;
    text: string;
    detail?: string;
  }[];
};

/** A defect or oddity that was met while reading; it stops nothing. */
export type Warning = {
  about: string;
  detail: string;
  file?: string;
  /** from 1, as editors count */
  line?: number;
  field?: string;
  count?: number;
  [field: string]: unknown;
};
