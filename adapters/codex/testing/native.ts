import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadFixture, readFixtureFile } from '../../../fixtures/load.ts';
import { unwrap } from '../../../src/shared/errors.ts';
import type { SessionEvent } from '../../../src/shared/events.ts';
import type { AgentEnv, CaptureOutcome, Cursor, NativeSource } from '../../contract.ts';
import { type MemorySession, MemorySink } from '../../testing/memory-sink.ts';
import { captureThread } from '../read/capture.ts';
import { discoverRollouts } from '../read/discover.ts';

export interface Captured extends MemorySession {
  source: NativeSource;
  outcome: CaptureOutcome;
  sink: MemorySink;
}

/** Captures every thread of a Codex home, in the order of discovery. */
export async function captureHome(env: AgentEnv): Promise<Captured[]> {
  const { sources } = await discoverRollouts(env);
  const all: Captured[] = [];
  for (const source of sources) all.push(await captureSource(source, env));
  return all;
}

export async function captureSource(
  source: NativeSource,
  env: AgentEnv,
  sink = new MemorySink(),
  cursor: Cursor | null = null,
): Promise<Captured> {
  const outcome = unwrap(await captureThread(source, cursor, sink, { env, redactionKey: new Uint8Array(32) }));
  const [session] = [...sink.sessions.values()];
  return Object.assign(session!, { source, outcome, sink });
}

/** Lays a fixture out, captures it and removes it again. */
export async function captureFixture(name: string): Promise<Captured[]> {
  const home = mkdtempSync(join(tmpdir(), 'codex-fixture-'));
  try {
    await loadFixture('codex', name, home);
    return await captureHome({ home, env: {} });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The input that the client sent last, by thread. */
export async function sentOf(name: string): Promise<Record<string, Record<string, unknown>[]>> {
  const bytes = await readFixtureFile('codex', name, 'sent.json');
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
    .map(({ payload }) => (payload.content as { text?: string }[]).map(({ text }) => text ?? '').join('|'));
}
