import type { AgentEnv } from '../../../adapters/contract.ts';
import type { AppEvent, AppInfo, Output, Parsed, ProcedureName } from '../../shared/api.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { Command } from '../../shared/handoff.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { Agents } from '../agents/agents.ts';
import type { Capture } from '../capture/contract.ts';
import type { StepHook } from '../handoff/step.ts';
import type { Keys } from '../keys/keys.ts';
import type { SecretStore } from '../keys/secret-store.ts';
import type { SearchEngine } from '../search/contract.ts';
import type { Store, StoreReader } from '../store/contract.ts';
import type { Jobs } from './jobs.ts';

/** Surroundings of an engine. Nothing below it reads `process.env` or the user's home by itself. */
export interface EngineOptions {
  /** SESSIONCTL_HOME: where the store and home.json are */
  home: string;
  /** the user's home and environment, in which agents keep their sessions */
  agents: AgentEnv;
  host: AppInfo['host'];
  /** who asks for what is done, as events and receipts name it; default 'user', an agent that asks by itself is `agent:<id>` */
  actor?: string;
  version: string;
  /** true: sample sessions in a temporary home */
  sample?: boolean;
  /** follow the enabled sources while open */
  watch?: boolean;
  /** unlocks a passphrase home; SESSIONCTL_PASSPHRASE of the environment otherwise */
  passphrase?: string;
  /** stands in for the system's keychain */
  keychain?: SecretStore;
  /** makes a home with sample sessions; hosts that offer it give it */
  makeSample?: () => Promise<Result<{ home: string }>>;
  /** for tests: called around each step of a handoff, where it can end the process */
  handoffHook?: StepHook;
  /** opens the system's terminal with a command; Electron only */
  openTerminal?: (command: Command) => Promise<Result<void>>;
}

/** An initialised home with its keys and store in use. */
export interface OpenHome {
  keys: Keys;
  store: Store;
  capture: Capture;
  search: SearchEngine;
}

/** What every procedure works with. */
export interface EngineContext {
  readonly options: EngineOptions;
  readonly agents: Agents;
  readonly jobs: Jobs;
  readonly keychain: SecretStore;
  /** The open home; the first caller opens it. Errors: store_uninitialised, key_*, store_*. */
  home(passphrase?: string): Promise<Result<OpenHome>>;
  emit(event: AppEvent): void;
  /** true while this process follows the sources */
  watching(): boolean;
  /** Tells the watcher that the list of enabled sources has changed. */
  sourcesChanged(): void;
}

export type Handler<N extends ProcedureName> = (
  context: EngineContext,
  input: Parsed<N>,
  signal: AbortSignal,
) => Promise<Result<Output<N>>>;

export type Handlers = { [N in ProcedureName]: Handler<N> };

/** Handlers of one area, each checked against the contract. */
export type HandlersOf<N extends ProcedureName> = { [K in N]: Handler<K> };

/** Runs `use` on the open home. */
export async function withHome<T>(
  context: EngineContext,
  use: (home: OpenHome) => Promise<Result<T>>,
): Promise<Result<T>> {
  const home = await context.home();
  return home.ok ? use(home.value) : home;
}

/** Runs `use` on the open home and the one session that a handle means. */
export function withSession<T>(
  context: EngineContext,
  handle: string,
  use: (home: OpenHome, session: SessionRow) => Promise<Result<T>>,
): Promise<Result<T>> {
  return withHome(context, async (home) => {
    const session = await resolveSession(home.store.reader, handle);
    return session.ok ? use(home, session.value) : session;
  });
}

/** What a person needs to choose between sessions that one handle can mean. */
export interface Candidate {
  id: string;
  agent: string;
  native_id: string;
  title: string | null;
  cwd: string | null;
  source: string | null;
  last_activity: number | null;
}

/**
 * The one session a handle means: canonical id (with or without `sess_`), native id, unique prefix of one, or source path.
 * Errors: not_found; selection_required with `details.candidates`.
 */
export async function resolveSession(reader: StoreReader, handle: string): Promise<Result<SessionRow>> {
  const rows = withoutParts(await candidatesOf(reader, handle));
  const [row] = rows;
  if (row === undefined) return fail('not_found', await whyUnknown(reader, handle), { handle });
  if (rows.length === 1) return ok(row);
  const candidates: Candidate[] = rows.map(({ id, agent, native_id, title, cwd, source, last_activity }) => ({
    id,
    agent,
    native_id,
    title,
    cwd,
    source,
    last_activity,
  }));
  return fail('selection_required', `"${handle}" can mean ${rows.length} sessions. Name one by its id or its path.`, {
    handle,
    candidates,
  });
}

/** What a name can mean to the letter comes first; else the beginning of an id is enough, `sess_` need not be typed. */
async function candidatesOf(reader: StoreReader, handle: string): Promise<SessionRow[]> {
  const rows = await reader.find(handle);
  const exact = rows.some(({ id, native_id, source }) => [id, native_id, source].includes(handle));
  if (exact || !/^[0-9a-f]{4,20}$/i.test(handle)) return rows;
  const ours = await reader.find(`sess_${handle.toLowerCase()}`);
  const known = new Set(rows.map(({ id }) => id));
  return [...rows, ...ours.filter(({ id }) => !known.has(id))];
}

/** Old Claude files hold the sessions of their sub-agents too. Id and path of the file mean the session it belongs to. */
function withoutParts(rows: SessionRow[]): SessionRow[] {
  const ids = new Set(rows.map(({ id }) => id));
  return rows.filter(({ parent, parent_kind }) => parent_kind !== 'subagent' || parent === null || !ids.has(parent));
}

/** Fewer characters of an id mean nothing: any word would. */
const SHORTEST = 4;

async function whyUnknown(reader: StoreReader, handle: string): Promise<string> {
  const enabled = await reader.enabledSources();
  const next =
    enabled.length === 0
      ? 'No source may be read yet: `sessionctl sources list`, then `sessionctl sources enable <agent>`.'
      : 'List what is known: `sessionctl list`; read what is new: `sessionctl import`.';
  const short =
    handle.replace(/^sess_/, '').length < SHORTEST ? ` The beginning of an id needs ${SHORTEST} characters.` : '';
  return `No session is known as "${handle}".${short} ${next}`;
}
