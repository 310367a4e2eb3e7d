import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { KeyChoice } from '../engine/keys/keys.ts';
import { VERSION } from '../shared/version.ts';
import { orThrow, SessionctlError } from './error.ts';
import { Identity } from './identity.ts';
import { close, engineOf, keep } from './open-store.ts';
import type {
  ImportSummary,
  SearchOptions,
  SearchResult,
  SessionList,
  SessionQuery,
  SessionRow,
  Source,
  Verdict,
} from './types.ts';

/** Where a store lies, and what opens it. */
export interface StoreOptions {
  /** its folder; default: $SESSIONCTL_HOME, else ~/.sessionctl */
  home?: string;
  /** makes the store when there is none: where its key is kept. Without it a missing store is `store_uninitialised` */
  create?: 'keychain' | 'keyfile' | { passphrase: string };
  /** opens a store that is locked by one; default: $SESSIONCTL_PASSPHRASE */
  passphrase?: string;
  /** home of the user, in which agents keep their sessions; default: that of the process */
  user_home?: string;
  /** environment in which agents are looked for; default: that of the process */
  env?: Record<string, string | undefined>;
  /** read what enabled agents write while the store is open */
  watch?: boolean;
}

/** The encrypted store of sessions. Close it: until then it keeps the process alive. */
export class Store {
  /** the key that signs for this store */
  readonly identity: Identity;
  /** shown once, when `create` made the store: the way back when its key is lost */
  readonly recovery_key: string | null;

  private constructor(recoveryKey: string | null) {
    this.identity = new Identity(this);
    this.recovery_key = recoveryKey;
  }

  /**
   * Opens the store of this machine. Several programs may have it open at once, the app and the CLI among them.
   * @throws SessionctlError store_uninitialised, key_missing, key_wrong, key_locked, store_corrupt, store_version_too_new
   */
  static async local(options: StoreOptions = {}): Promise<Store> {
    needsNode();
    const { openEngine } = await import('../engine/engine.ts');
    const env = options.env ?? process.env;
    const userHome = options.user_home ?? homedir();
    const home = resolve(options.home ?? (env.SESSIONCTL_HOME || join(userHome, '.sessionctl')));
    const engine = openEngine({
      home,
      agents: { home: userHome, env },
      host: 'cli',
      version: VERSION,
      watch: options.watch ?? false,
      ...(options.passphrase === undefined ? {} : { passphrase: options.passphrase }),
    });
    try {
      const made = options.create && orThrow(await engine.local.init(keyOf(options.create)));
      orThrow(await engine.call('sessions.list', { limit: 1 }));
      const store = new Store(made?.recovery_key ?? null);
      keep(store, { engine, closed: new AbortController(), following: null, listeners: new Set() });
      return store;
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  /** Sessions, newest first unless `sort` says otherwise. */
  async list(query: SessionQuery = {}): Promise<SessionList> {
    return orThrow(await engineOf(this).call('sessions.list', query));
  }

  /**
   * Searches all that was said and done: words, "phrases", begin*, -not, filters (docs/cli.md). Hits come by session, the best first.
   * What is not indexed yet is indexed first, for at most `wait_ms` (1000); `index` of the answer says how far that is.
   */
  async search(query: string, options: SearchOptions = {}): Promise<SearchResult> {
    return orThrow(await engineOf(this).call('sessions.search', { ...options, query }));
  }

  /** A session with its ancestors and all their descendants. */
  async lineage(id: string): Promise<SessionRow[]> {
    return orThrow(await engineOf(this).call('sessions.lineage', { id }));
  }

  /** Agents and how many sessions they have here. Nothing is read of those that are not enabled. */
  async sources(): Promise<Source[]> {
    return orThrow(await engineOf(this).call('sources.list', {}));
  }

  /** Allows an agent's sessions to be read, or no longer. */
  async enable(agent: string, enabled = true): Promise<Source[]> {
    return orThrow(await engineOf(this).call('sources.set', { agent, enabled }));
  }

  /** Reads what is new: of the enabled agents, of one of them, or of a file or folder (naming it is consent). */
  async import(what: { agent?: string; path?: string; signal?: AbortSignal } = {}): Promise<ImportSummary> {
    const { signal, ...request } = what;
    return orThrow(await engineOf(this).local.import(request, undefined, signal));
  }

  /** Checks a session's log, its manifest, and what it was forked off. */
  async verify(id: string): Promise<Verdict> {
    return orThrow(await engineOf(this).call('verify.session', { id }));
  }

  /** Ends what runs and closes the files. Calls after it are refused. */
  async close(): Promise<void> {
    await close(this);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function keyOf(create: NonNullable<StoreOptions['create']>): KeyChoice {
  if (create === 'keychain') return { kind: 'auto' };
  return create === 'keyfile' ? { kind: 'keyfile' } : { kind: 'passphrase', passphrase: create.passphrase };
}

/** The store is compressed with zstd, which Node has since 22.15. */
function needsNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 15)) return;
  throw new SessionctlError({
    code: 'target_unavailable',
    message: `A store needs Node 22.15 or newer; this is ${process.version}. The command line brings its own.`,
    details: { node: process.version, needed: '22.15' },
  });
}
