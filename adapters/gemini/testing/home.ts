import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadFixture } from '../../../fixtures/load.ts';
import { unwrap } from '../../../src/shared/errors.ts';
import type { ContentBlock, SessionEvent } from '../../../src/shared/events.ts';
import type { AgentEnv, CaptureOutcome, Cursor, NativeSource } from '../../contract.ts';
import { type MemorySession, MemorySink } from '../../testing/memory-sink.ts';
import { captureSession } from '../read/capture.ts';
import { discoverSessions } from '../read/discover.ts';

export const KEY = new Uint8Array(32).fill(7);

export interface Captured extends MemorySession {
  source: NativeSource;
  outcome: CaptureOutcome;
  sink: MemorySink;
}

/** A home folder that is removed after use. */
export async function withHome<T>(use: (env: AgentEnv) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'gemini-test-'));
  try {
    return await use({ home, env: { PATH: '' } });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Captures a source; undefined = it holds no session. */
export async function captureSource(
  source: NativeSource,
  env: AgentEnv,
  sink = new MemorySink(),
  cursor: Cursor | null = null,
): Promise<{ outcome: CaptureOutcome; sink: MemorySink; session: Captured | undefined }> {
  const outcome = unwrap(await captureSession(source, cursor, sink, { env, redactionKey: KEY }));
  const [session] = [...sink.sessions.values()];
  return { outcome, sink, session: session && Object.assign(session, { source, outcome, sink }) };
}

/** Captures every session of a home, in the order of discovery. */
export async function captureHome(env: AgentEnv): Promise<Captured[]> {
  const all: Captured[] = [];
  for (const source of (await discoverSessions(env)).sources) {
    const { session } = await captureSource(source, env);
    if (session !== undefined) all.push(session);
  }
  return all;
}

/** Lays a fixture out, captures it and removes it again. */
export function captureFixture(name: string): Promise<Captured[]> {
  return withHome(async (env) => {
    await loadFixture('gemini', name, env.home);
    return captureHome(env);
  });
}

/** Every record is accounted for once. */
export function told({ mapped, unknown, declared, unreadable }: CaptureOutcome): number {
  const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0);
  return mapped + sum(unknown) + sum(declared) + unreadable;
}

/** The conversation in short lines. */
export function talk(events: readonly SessionEvent[]): string[] {
  return events.flatMap(({ type, payload }) => {
    const text = [payload.text, ...((payload.content ?? payload.summary ?? []) as ContentBlock[]).map(textOf)]
      .filter((one) => one !== undefined)
      .join('|');
    const kind = KINDS[type];
    if (kind === undefined) return [];
    if (type === 'tool.call') return [`call ${String(payload.name)} ${JSON.stringify(payload.arguments)}`];
    return [`${kind} ${text}`];
  });
}

const KINDS: Record<string, string> = {
  'message.user': 'prompt',
  'message.system': 'note',
  'message.assistant': 'reply',
  'message.thinking': 'thinking',
  'tool.call': 'call',
  'tool.result': 'result',
  'context.compacted': 'summary',
};

function textOf(block: ContentBlock): string {
  return block.kind === 'text' ? block.text : `[${block.kind}]`;
}
