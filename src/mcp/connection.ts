import type { Engine } from '../engine/engine.ts';
import type { HandoffInput } from '../shared/handoff.ts';
import { type Client, clientOf, type Told } from './clients.ts';
import { Scanner } from './scanner.ts';

/** How the session of a connection became known. */
export type BoundBy = 'argument' | 'environment' | 'client';

export interface ConnectionOptions {
  /** the session that this server was started for (`--session`, SESSIONCTL_SESSION) */
  session?: string | undefined;
  /** how long a call waits for new sessions to be read, in milliseconds */
  scanWaitMs?: number;
}

/** What a preflight has shown and a later call may execute, as it was asked. */
export interface Confirmable {
  input: HandoffInput;
  /** events of the session as the plan showed it */
  events: number;
}

/** As many preflights are remembered; older ones have to be made again. */
const REMEMBERED = 50;

/** What one client's connection knows: which agent it is, its session, the handoffs that it looked at. */
export class Connection {
  readonly engine: Engine;
  readonly scanner: Scanner;
  /** the session that somebody named for this connection: a handle, not yet looked up */
  named: { handle: string; by: Exclude<BoundBy, 'client'> } | null;
  readonly #preflights = new Map<string, Confirmable>();
  readonly #client: Client | null;

  /** `client`: the name that it gave itself */
  constructor(engine: Engine, client: string | undefined, options: ConnectionOptions) {
    this.engine = engine;
    this.#client = clientOf(client);
    this.scanner = new Scanner(engine, options.scanWaitMs);
    this.named = options.session ? { handle: options.session, by: 'environment' } : null;
  }

  /** The agent that is connected, as far as its client's name tells it. */
  get agent(): Client['agent'] | null {
    return this.#client?.agent ?? null;
  }

  /** The session that the client itself says it is in, by its own id; null when it does not tell. */
  told(meta: Readonly<Record<string, unknown>>): Told | null {
    return this.#client?.told(meta) ?? null;
  }

  remember(operation: string, confirmable: Confirmable): void {
    this.#preflights.set(operation, confirmable);
    const [oldest] = this.#preflights.keys();
    if (this.#preflights.size > REMEMBERED && oldest !== undefined) this.#preflights.delete(oldest);
  }

  confirmed(operation: string): Confirmable | undefined {
    return this.#preflights.get(operation);
  }
}
