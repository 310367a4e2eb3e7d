import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadFixture, readFixtureFile } from '../../../fixtures/load.ts';
import { unwrap } from '../../../src/shared/errors.ts';
import type { AgentEnv, CaptureOutcome, Cursor, NativeSource } from '../../contract.ts';
import { type MemorySession, MemorySink } from '../../testing/memory-sink.ts';
import { captureSession } from '../read/capture.ts';
import { discoverSessions } from '../read/discover.ts';

export interface Captured extends MemorySession {
  source: NativeSource;
  outcome: CaptureOutcome;
  sink: MemorySink;
}

/** A home folder that is removed after use. */
export async function withHome<T>(use: (env: AgentEnv) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'pi-test-'));
  try {
    return await use({ home, env: { PI_CODING_AGENT_SESSION_DIR: join(home, '.pi', 'other-sessions') } });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

export async function captureSource(
  source: NativeSource,
  env: AgentEnv,
  sink = new MemorySink(),
  cursor: Cursor | null = null,
): Promise<Captured> {
  const outcome = unwrap(await captureSession(source, cursor, sink, { env, redactionKey: new Uint8Array(32) }));
  const [session] = [...sink.sessions.values()];
  return Object.assign(session!, { source, outcome, sink });
}

/** Lays a fixture out, captures its sessions in the order of discovery, and removes it again. */
export function captureFixture(name: string): Promise<Captured[]> {
  return withHome(async (env) => {
    await loadFixture('pi', name, env.home);
    const all: Captured[] = [];
    for (const source of (await discoverSessions(env)).sources) all.push(await captureSource(source, env));
    return all;
  });
}

/** What Pi 1.6.0's own reader made of a session file. */
export interface Oracle {
  file: string;
  leafId: string | null;
  name?: string | null;
  leaves: string[];
  branch: string[];
  messages: Record<string, unknown>[];
}

export async function oracleOf(name: string): Promise<Oracle[]> {
  return JSON.parse(String(await readFixtureFile('pi', name, 'oracle.json'))) as Oracle[];
}

/** Every record is accounted for once. */
export function told({ mapped, unknown, declared, unreadable }: CaptureOutcome): number {
  const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0);
  return mapped + sum(unknown) + sum(declared) + unreadable;
}
