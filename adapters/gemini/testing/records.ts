import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { SessionEvent } from '../../../src/shared/events.ts';
import type { AgentEnv } from '../../contract.ts';
import { modelView } from '../../testing/model-view.ts';
import type { Json } from '../read/record.ts';
import { type Captured, captureHome, talk, told } from './home.ts';

/** Records of a session, for tests of reading: each is made a second after the last one. */

export const ID = '11111111-2222-4333-8444-555555555555';

let clock = 0;
export const time = (): string => new Date(1_795_960_000_000 + 1000 * clock++).toISOString();
export const header = (more: Json = {}): Json => ({
  sessionId: ID,
  projectHash: 'h',
  startTime: time(),
  lastUpdated: time(),
  kind: 'main',
  ...more,
});
export const user = (id: string, text: string, more: Json = {}): Json => ({
  id,
  timestamp: time(),
  type: 'user',
  content: [{ text }],
  ...more,
});
export const reply = (id: string, content: unknown, more: Json = {}): Json => ({
  id,
  timestamp: time(),
  type: 'gemini',
  content,
  ...more,
});
export const call = (id: string, more: Json = {}): Json => ({
  id,
  name: 'run_shell_command',
  args: { command: 'ls' },
  status: 'success',
  timestamp: time(),
  result: [{ functionResponse: { id, name: 'run_shell_command', response: { output: `out ${id}` } } }],
  ...more,
});
export const set = (...messages: Json[]): Json => ({ $set: { messages, lastUpdated: time() } });
export const lines = (...records: Json[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** Where a session of this name lies; its folder is made. */
export function placeIn(
  { home }: AgentEnv,
  name = `session-2026-11-29T13-42-${ID.slice(0, 8)}.jsonl`,
  project = 'loom',
): string {
  const path = join(home, '.gemini', 'tmp', project, 'chats', name);
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

/** Writes a session of these records and captures it; every record is accounted for. */
export async function captureRecords(env: AgentEnv, ...records: Json[]): Promise<Captured> {
  writeFileSync(placeIn(env), lines(...records));
  const [session] = await captureHome(env);
  expect(told(session!.outcome)).toBe(session!.outcome.records);
  return session!;
}

export const view = (session: { events: SessionEvent[] }): string[] => talk(modelView(session.events));
export const warned = ({ warnings }: Captured): string[] => warnings.map(({ about }) => about);
