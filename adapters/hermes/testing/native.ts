import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadFixture } from '../../../fixtures/load.ts';
import { unwrap } from '../../../src/shared/errors.ts';
import type { AgentEnv, CaptureOutcome, Cursor, NativeSource } from '../../contract.ts';
import { type MemorySession, MemorySink } from '../../testing/memory-sink.ts';
import { openDatabase } from '../read/database.ts';
import { discover } from '../read/discover.ts';
import { captureLegacy } from '../read/legacy.ts';

export interface Captured extends MemorySession {
  source: NativeSource;
  outcome: CaptureOutcome;
  sink: MemorySink;
}

export const optionsFor = (env: AgentEnv) => ({ env, redactionKey: new Uint8Array(32) });

/** A temporary home with `.hermes` in it. */
export function tempHome(prefix = 'hermes-test-'): { env: AgentEnv; hermes: string; dispose: () => void } {
  const home = mkdtempSync(join(tmpdir(), prefix));
  return {
    env: { home, env: { PATH: '' } },
    hermes: join(home, '.hermes'),
    dispose: () => rmSync(home, { recursive: true, force: true }),
  };
}

/**
 * Captures as the engine does: each database is opened, each changed session captured with its own cursor. Keeps sinks
 * and cursors, so that a second run goes on where the first stopped.
 */
export class Engine {
  readonly sessions = new Map<string, Captured>();
  readonly #databases = new Map<string, Cursor>();
  readonly #env: AgentEnv;

  constructor(env: AgentEnv) {
    this.#env = env;
  }

  /** Paths of the sessions that were captured this time. */
  async run(): Promise<string[]> {
    const paths: string[] = [];
    for (const source of (await discover(this.#env)).sources) {
      if (source.database !== true) {
        await this.#capture(source, captureLegacy);
        paths.push(source.path);
        continue;
      }
      const cursor = this.#databases.get(source.path) ?? null;
      const open = unwrap(await openDatabase(source, cursor, optionsFor(this.#env)));
      try {
        for (const one of open.changed) {
          await this.#capture(one, open.capture);
          paths.push(one.path);
        }
        this.#databases.set(source.path, open.cursor);
      } finally {
        await open.close();
      }
    }
    return paths;
  }

  /** The session of this id in the default profile. */
  get(id: string): Captured {
    const found = [...this.sessions.values()].find(({ source }) => source.native_id === id);
    if (found === undefined) throw new Error(`no session ${id}`);
    return found;
  }

  async #capture(source: NativeSource, capture: typeof captureLegacy): Promise<void> {
    const before = this.sessions.get(source.path);
    const sink = before?.sink ?? new MemorySink();
    const cursor = before === undefined ? null : (JSON.parse(JSON.stringify(before.outcome.cursor)) as Cursor);
    const outcome = unwrap(await capture(source, cursor, sink, optionsFor(this.#env)));
    const [session] = [...sink.sessions.values()];
    if (session === undefined) return;
    this.sessions.set(source.path, Object.assign(session, { source, outcome, sink }));
  }
}

/** Lays a fixture out in a new home and captures it; `use` may change the home and run again. */
export async function withFixture<T>(
  name: string,
  use: (engine: Engine, home: ReturnType<typeof tempHome>) => Promise<T> | T,
): Promise<T> {
  const home = tempHome('hermes-fixture-');
  try {
    await loadFixture('hermes', name, home.env.home);
    const engine = new Engine(home.env);
    await engine.run();
    return await use(engine, home);
  } finally {
    home.dispose();
  }
}

/** Every record is accounted for once. */
export function told({ mapped, unknown, declared, unreadable }: CaptureOutcome): number {
  const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0);
  return mapped + sum(unknown) + sum(declared) + unreadable;
}
