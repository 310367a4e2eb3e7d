import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadFixture, readFixtureFile } from '../../../fixtures/load.ts';
import { unwrap } from '../../../src/shared/errors.ts';
import type { SessionEvent } from '../../../src/shared/events.ts';
import type { AgentEnv, CaptureOutcome, Cursor, NativeSource } from '../../contract.ts';
import { type MemorySession, MemorySink } from '../../testing/memory-sink.ts';
import { opencode } from '../adapter.ts';

export const KEY = new Uint8Array(32);

/** A session as it stands in a memory sink, with where its next capture goes on. */
export interface Captured extends MemorySession {
  source: NativeSource;
  outcome: CaptureOutcome;
  sink: MemorySink;
}

/** Captures of a home, one after the other, as the engine makes them. */
export class Captures {
  readonly env: AgentEnv;
  readonly all = new Map<string, Captured>();
  readonly #databases = new Map<string, Cursor>();

  constructor(env: AgentEnv) {
    this.env = env;
  }

  /** Captures what is new; returns the sessions that were read, in order. */
  async next(): Promise<Captured[]> {
    const read: Captured[] = [];
    const options = { env: this.env, redactionKey: KEY };
    for (const source of (await opencode.discover(this.env)).sources) {
      if (source.database !== true) {
        read.push(await this.#one(source, opencode.capture));
        continue;
      }
      const opened = unwrap(await opencode.openDatabase!(source, this.#databases.get(source.path) ?? null, options));
      for (const one of opened.changed) read.push(await this.#one(one, opened.capture));
      this.#databases.set(source.path, JSON.parse(JSON.stringify(opened.cursor)) as Cursor);
      await opened.close();
    }
    return read;
  }

  async #one(source: NativeSource, capture: typeof opencode.capture): Promise<Captured> {
    const before = this.all.get(source.path);
    const sink = before?.sink ?? new MemorySink();
    const cursor = before === undefined ? null : (JSON.parse(JSON.stringify(before.outcome.cursor)) as Cursor);
    const outcome = unwrap(await capture(source, cursor, sink, { env: this.env, redactionKey: KEY }));
    const [session] = [...sink.sessions.values()];
    const captured = Object.assign(session!, { source, outcome, sink });
    this.all.set(source.path, captured);
    return captured;
  }
}

/** A temporary home with a fixture in it. */
export async function fixtureHome(name: string): Promise<{ env: AgentEnv; data: string; dispose: () => void }> {
  const home = tempHome();
  await loadFixture('opencode', name, home.env.home);
  return home;
}

export function tempHome(): { env: AgentEnv; data: string; dispose: () => void } {
  const home = mkdtempSync(join(tmpdir(), 'opencode-test-'));
  return {
    env: { home, env: { PATH: '' } },
    data: join(home, '.local', 'share', 'opencode'),
    dispose: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** Captures all sessions of a fixture. */
export async function captureFixture(name: string): Promise<Captured[]> {
  const home = await fixtureHome(name);
  try {
    return await new Captures(home.env).next();
  } finally {
    home.dispose();
  }
}

/** Messages that the client sent last, by session. */
export async function sentOf(name: string): Promise<Record<string, Record<string, unknown>[]>> {
  const bytes = await readFixtureFile('opencode', name, 'sent.json');
  return JSON.parse(bytes?.toString('utf8') ?? '{}') as Record<string, Record<string, unknown>[]>;
}

/** Every record is accounted for once. */
export function told({ mapped, unknown, declared, unreadable }: CaptureOutcome): number {
  const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0);
  return mapped + sum(unknown) + sum(declared) + unreadable;
}

export function texts(events: readonly SessionEvent[], type: string): string[] {
  return events
    .filter((event) => event.type === type)
    .map(({ payload }) =>
      ((payload.content ?? payload.summary) as { text?: string }[]).map(({ text }) => text ?? '').join('|'),
    );
}
