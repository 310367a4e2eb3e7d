import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFixtureAgents, listFixtures, loadFixture, readFixtureFile } from '../../../fixtures/load.ts';
import type { CaptureOutcome, NativeSource } from '../../contract.ts';
import { type MemorySession, MemorySink } from '../../testing/memory-sink.ts';
import { claude } from '../adapter.ts';

export const KEY = new Uint8Array(32).fill(7);

/** A home folder that is removed after use. */
export async function withHome<T>(use: (home: string) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'claude-test-'));
  try {
    return await use(home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

export interface FixtureName {
  agent: string;
  name: string;
}

/** All fixtures of all versions. */
export async function allFixtures(): Promise<FixtureName[]> {
  const list: FixtureName[] = [];
  for (const agent of await listFixtureAgents('claude'))
    for (const name of await listFixtures(agent)) list.push({ agent, name });
  return list;
}

/** Lays a fixture out and gives each of its session files to `use`. */
export function eachSource(
  { agent, name }: FixtureName,
  use: (source: NativeSource, home: string) => Promise<void>,
): Promise<void> {
  return withHome(async (home) => {
    await loadFixture(agent, name, home);
    for (const source of (await claude.discover({ home, env: {} })).sources) await use(source, home);
  });
}

/** Captures a whole file, without taking secrets out where `redactionKey` is not of interest. */
export async function captureAll(source: NativeSource, home: string, sink = new MemorySink()): Promise<Captured> {
  const result = await claude.capture(source, null, sink, { env: { home, env: {} }, redactionKey: KEY });
  if (!result.ok) throw new Error(result.error.message);
  return { sink, outcome: result.value, main: [...sink.sessions.values()][0] };
}

export interface Captured {
  sink: MemorySink;
  outcome: CaptureOutcome;
  /** the file's own session; undefined when it holds no conversation */
  main: MemorySession | undefined;
}

/** What the agent's own SDK reads from a fixture. */
export interface Oracle {
  sessions: {
    sessionId: string;
    summary: string;
    messages: OracleMessage[];
    subagents: { agentId: string; messages: OracleMessage[] }[];
  }[];
}

export interface OracleMessage {
  type: string;
  uuid: string;
}

export async function oracleOf({ agent, name }: FixtureName): Promise<Oracle> {
  return JSON.parse(String(await readFixtureFile(agent, name, 'sdk-oracle.json'))) as Oracle;
}

/** Number of records of an outcome that were accounted for. */
export function accounted(outcome: CaptureOutcome): number {
  const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0);
  return outcome.mapped + sum(outcome.unknown) + sum(outcome.declared) + outcome.unreadable;
}
