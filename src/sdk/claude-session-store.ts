import { orThrow, SessionctlError } from './error.ts';
import { engineOf } from './open-store.ts';
import type { Store } from './store.ts';

/** Names a transcript of the Claude Agent SDK. */
export interface ClaudeSessionKey {
  projectKey: string;
  sessionId: string;
  /** a sub-agent's transcript; absent = the main one */
  subpath?: string;
}

/** One line of a transcript: any JSON with a type. */
export interface ClaudeSessionEntry {
  type: string;
  uuid?: string;
  timestamp?: string;
  [field: string]: unknown;
}

const AGENT = 'claude';

/** Ids and signatures of Claude Code's records, where they stand; a tool may have fields of the same names. */
const KEPT = [
  'uuid',
  'parentUuid',
  'sessionId',
  'leafUuid',
  'requestId',
  'message.content[].signature',
  'message.content[].tool_use_id',
  // a record of a sub-agent that is told of in one of its parent
  'data.message.uuid',
  'data.message.requestId',
  'data.message.message.content[].signature',
  'data.message.message.content[].tool_use_id',
];

/**
 * A `SessionStore` for the Claude Agent SDK: `query({ options: { sessionStore: new ClaudeSessionStore(store) } })`. It mirrors
 * transcripts into the encrypted store, and gives them back for a resume on another machine or in another container.
 *
 * What looks like a secret is taken out before anything is stored, so `load` gives entries that are deep-equal to what was
 * appended but for placeholders in place of secrets. An entry with a `uuid` is kept once, however often it is appended.
 */
export class ClaudeSessionStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Puts entries at the end: all, or an error and none. */
  async append(key: ClaudeSessionKey, entries: ClaudeSessionEntry[]): Promise<void> {
    const path = pathOf(key);
    if (entries.length > 0) orThrow(await this.#records.append({ agent: AGENT, path }, entries, KEPT));
  }

  /** All entries in order; null for what was never written or was deleted. */
  async load(key: ClaudeSessionKey): Promise<ClaudeSessionEntry[] | null> {
    return orThrow(await this.#records.load({ agent: AGENT, path: pathOf(key) })) as ClaudeSessionEntry[] | null;
  }

  /** Main transcripts of a project with the time of their last append, in milliseconds. */
  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const logs = orThrow(await this.#records.list({ agent: AGENT, path: [projectKey] }));
    return logs.flatMap(({ path: [, sessionId = '', subpath], mtime }) =>
      subpath === undefined ? [{ sessionId, mtime }] : [],
    );
  }

  /** Deletes a transcript; the main one takes those of its sub-agents with it. */
  async delete(key: ClaudeSessionKey): Promise<void> {
    orThrow(await this.#records.drop({ agent: AGENT, path: pathOf(key) }));
  }

  /** Subpaths of a session. */
  async listSubkeys({ projectKey, sessionId }: { projectKey: string; sessionId: string }): Promise<string[]> {
    const logs = orThrow(await this.#records.list({ agent: AGENT, path: [projectKey, sessionId] }));
    return logs.flatMap(({ path: [, , subpath] }) => (subpath === undefined ? [] : [subpath]));
  }

  get #records() {
    return engineOf(this.#store).local.records;
  }
}

function pathOf({ projectKey, sessionId, subpath }: ClaudeSessionKey): string[] {
  if (subpath === '')
    throw new SessionctlError({
      code: 'invalid_request',
      message: 'An empty subpath names no transcript. Leave it out for the main one.',
    });
  return [projectKey, sessionId, ...(subpath === undefined ? [] : [subpath])];
}
