/** What the lab must know of an agent. One file in `clients/` each. */
import type { Item } from './facts.ts';
import type { Finished, Lab } from './lab.ts';
import type { ModelServer, ToolCall } from './model-server.ts';

/** The request of a resumed session, or why there was none (the agent's own words). */
export type Resumed = { ok: true; body: unknown } | { ok: false; reason: string };

/** What an agent is told on resume. It is the last thing sent and no fact of the session. */
export const PROMPT = 'continue';

/** One native session of a laid-out tree. */
export interface NativeSession {
  id: string;
  /** its folder, which exists */
  cwd: string;
  /** its file, where an id can stand for several */
  path?: string;
  /** model provider without which the agent does not resume it */
  provider?: string;
  /** It does not say where it ran: `cwd` is a folder of the lab, which a handoff has to be told. */
  isHomeless?: true;
}

/** A session as its files tell it. */
export interface KnownSession extends Omit<NativeSession, 'cwd' | 'isHomeless'> {
  /** where it ran, the first folder first; none = it does not say */
  folders: string[];
}

/** An agent as it is installed, in a home of the lab. */
export interface Run {
  program: string;
  lab: Lab;
  server: ModelServer;
}

/** What the model of a client cannot be told, so that it is no fact there (facts.ts, 11 to 13). */
export interface Limits {
  /** texts of a reply come before its calls, whatever their order was */
  textFirst?: true;
  /** texts of one reply are one text, with this between them */
  joinsTexts?: string;
  /** a result has no error flag: what it says is all that the model hears */
  noFailures?: true;
}

export interface LabAgent {
  id: string;
  limits: Limits;
  /** folder of the home (`.claude`) in which everything lies that this agent keeps */
  folder: string;
  /** folder under which its fixtures were recorded; it exists on no machine */
  recordedRoot: string;
  /** No program: what the agent would send is read by its own rules, and the results say so. */
  isByRules?: true;
  /** sessions of a laid-out home and the folders in which they ran, in a fixed order; reads files alone */
  sessions(home: string): Promise<KnownSession[]>;
  /** Puts a session that does not say where it ran to those of `cwd`, where the agent looks by folder. */
  settle?(home: string, session: KnownSession, cwd: string): Promise<void>;
  /** Settings for the lab: the scripted model, the folder trusted, no question at the start. */
  configure(run: Run, cwd: string): Promise<void>;
  /** Resumes a session with `PROMPT`, in its folder. It appends to the session: use a copy. */
  resume(run: Run, session: NativeSession): Promise<Resumed>;
  /** Begins a session of its own with a prompt and lets it call tools, until the model says no more. */
  ask?(run: Run, cwd: string, prompt: string): Promise<Finished>;
  /** How its model calls a tool of an MCP server. */
  mcpTool?(server: string, tool: string): Pick<ToolCall, 'name' | 'namespace'>;
  /** Why it runs no session of its own in this folder either, if so. */
  refuses?(cwd: string): string | undefined;
  /** What the agent sends, in the order in which its model reads it. Throws on a body that is none of its requests. */
  items(body: unknown): Item[];
  /** Does one turn of an own session and looks into the list, as somebody has who used this agent before. */
  visitBefore?(run: Run, cwd: string): Promise<void>;
  /** Opens the agent's own list in `cwd`; undefined when one of the titles is in it, else what it shows. */
  pickerLists?(run: Run, cwd: string, titles: readonly string[]): Promise<string | undefined>;
}
