import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Engine } from '../engine/engine.ts';
import { orThrow } from './error.ts';
import { engineOf, follow, opened } from './open-store.ts';
import type { Store } from './store.ts';
import { tailOf } from './tail.ts';
import type {
  AppendEvent,
  Appended,
  Checkpoint,
  Command,
  Exported,
  ExportFormat,
  HandoffPlan,
  HandoffResult,
  Manifest,
  NewSession,
  SessionEvent,
  SessionRow,
} from './types.ts';

/** A request that is done once under its id: made again it answers what it did. */
export interface Once {
  operation_id?: string;
}

export interface HandoffOptions extends Once {
  mode?: 'native' | 'native-tail' | 'context' | 'delta';
  /** native-tail: so many of the last turns */
  turns?: number;
  /** the new session's folder; default: that of the session */
  cwd?: string;
  signal?: AbortSignal;
}

export interface ExportOptions {
  format: ExportFormat;
  /** undone turns and dead branches too, marked; default false */
  all?: boolean;
  /** its sub-agents too; default true */
  subagents?: boolean;
  signal?: AbortSignal;
}

/** Events that a stream reads at once. */
const PAGE = 500;

const stores = new WeakMap<Session, Store>();

/** The store that a session is of, for the other parts of this package. */
export function storeOf(session: Session): Store {
  return stores.get(session) as Store;
}

/** One session of a store. */
export class Session {
  readonly id: string;
  readonly #store: Store;
  #row: SessionRow;

  private constructor(store: Store, row: SessionRow) {
    this.id = row.id;
    this.#store = store;
    this.#row = row;
    stores.set(this, store);
  }

  /**
   * @param id its id, the agent's own id of it, the beginning of either, or the path of its file
   * @throws SessionctlError not_found; selection_required with `details.candidates` when it can mean several
   */
  static async open(id: string, store: Store): Promise<Session> {
    return new Session(store, orThrow(await engineOf(store).call('sessions.get', { id })));
  }

  /** Makes a session of your own. The same `operation_id` never makes a second one. */
  static async create(session: NewSession, store: Store, options: Once = {}): Promise<Session> {
    const made = orThrow(await engineOf(store).local.createSession(session, options.operation_id));
    return new Session(store, made.session);
  }

  /** As it was when it was opened, or at the last `refresh`. */
  get row(): SessionRow {
    return this.#row;
  }

  async refresh(): Promise<SessionRow> {
    this.#row = orThrow(await this.#engine.call('sessions.get', { id: this.id }));
    return this.#row;
  }

  /**
   * Puts events at the end: all or none. They are checked and redacted first, then numbered and chained. A session that was
   * captured from an agent takes remarks alone (checkpoint, decision, memory.write, note.*): `scope_denied` for the rest.
   */
  async append(events: AppendEvent | readonly AppendEvent[], options: Once = {}): Promise<Appended> {
    const list = Array.isArray(events) ? (events as readonly AppendEvent[]) : [events as AppendEvent];
    return orThrow(await this.#engine.local.append(this.id, list, options.operation_id));
  }

  /** At most `limit` events (1000 at once) from number `cursor` on; `next` is the cursor to go on with. */
  async read(cursor = 0, limit = 1000): Promise<{ events: SessionEvent[]; next: number; head_seq: number }> {
    const { events, next, head_seq } = orThrow(await this.#engine.local.tail(this.id, cursor, limit));
    return { events, next, head_seq };
  }

  /**
   * All events from number `cursor` on, then those that come, whoever writes them, until `signal` is aborted or the store is
   * closed. `follow: false` ends at the last one.
   */
  async *tail(
    cursor = 0,
    options: { follow?: boolean; signal?: AbortSignal } = {},
  ): AsyncGenerator<SessionEvent, void, undefined> {
    const { engine, closed } = opened(this.#store);
    const signal = AbortSignal.any([closed.signal, ...(options.signal ? [options.signal] : [])]);
    yield* tailOf({
      page: async (from) => orThrow(await engine.local.tail(this.id, from, PAGE)),
      from: cursor,
      signal,
      ...(options.follow === false ? {} : { follow: (onChange) => follow(this.#store, onChange) }),
    });
  }

  /** A new session that goes on from everything up to and including an event. Nothing is copied; this one stays as it is. */
  async fork(at_seq: number, options: Once & { reason?: string } = {}): Promise<Session> {
    const made = orThrow(await this.#engine.call('sessions.fork', { id: this.id, at_seq, ...options }));
    return new Session(this.#store, made.session);
  }

  /** Marks the end of the session as it is now, and signs it. */
  async checkpoint(label?: string, options: Once = {}): Promise<Checkpoint> {
    const request = { id: this.id, ...(label === undefined ? {} : { label }), ...options };
    return orThrow(await this.#engine.call('sessions.checkpoint', request));
  }

  /** What a handoff would keep, convert and lose, and where it would be written. No effect at all. */
  async preflight(to: string, note?: string, options: HandoffOptions = {}): Promise<HandoffPlan> {
    return orThrow(await this.#engine.call('handoff.preflight', this.#request(to, note, options), options.signal));
  }

  /** Writes a new session for another agent and says the command that goes on with it. This one is never changed. */
  async handoff(to: string, note?: string, options: HandoffOptions = {}): Promise<HandoffResult> {
    const request = {
      ...this.#request(to, note, options),
      operation_id: options.operation_id ?? `sdk-${randomUUID()}`,
    };
    return orThrow(await this.#engine.call('handoff.execute', request, options.signal));
  }

  /**
   * Writes it to a file for people or other programs; `path` must not exist yet. Texts are redacted on the way, images cannot
   * be. The file appears whole or not at all, and a receipt is kept.
   * @throws SessionctlError target_exists, write_failed, cancelled
   */
  async export(path: string, { format, all = false, subagents = true, signal }: ExportOptions): Promise<Exported> {
    const around = signal ? { signal } : {};
    const request = { format, path: resolve(path), all, subagents };
    return orThrow(await this.#engine.local.exportText(this.id, request, around));
  }

  /** The agent's own command that goes on with it; `target_unsupported` for a session of your own. */
  async resumeCommand(): Promise<Command> {
    return orThrow(await this.#engine.call('resume.command', { id: this.id }));
  }

  /** Its manifest, signed at its present end. */
  async manifest(): Promise<Manifest> {
    return orThrow(await this.#engine.local.signManifest(this.id));
  }

  get #engine(): Engine {
    return engineOf(this.#store);
  }

  #request(to: string, note: string | undefined, { mode, turns, cwd }: HandoffOptions) {
    return {
      session: this.id,
      to,
      ...(note === undefined ? {} : { note }),
      ...(mode === undefined ? {} : { mode }),
      ...(turns === undefined ? {} : { turns }),
      ...(cwd === undefined ? {} : { cwd }),
    };
  }
}
