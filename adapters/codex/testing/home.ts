import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEnv, MaterializeOptions } from '../../contract.ts';

export const THREAD = '01a22791-bb90-77e3-8fe5-30ec722705d2';

/** A temporary home; `dispose` removes it. PATH is empty, so no installed Codex is found. */
export function tempHome(): { env: AgentEnv; codex: string; dispose: () => void } {
  const home = mkdtempSync(join(tmpdir(), 'codex-test-'));
  return {
    env: { home, env: { PATH: '' } },
    codex: join(home, '.codex'),
    dispose: () => rmSync(home, { recursive: true, force: true }),
  };
}

export function writeOptions(env: AgentEnv, more: Partial<MaterializeOptions> = {}): MaterializeOptions {
  return {
    env,
    nativeId: THREAD,
    title: 'A title',
    cwd: '/home/dev/project',
    version: '0.171.0',
    at: 1_795_960_000,
    tokens: 1234,
    ...more,
  };
}

export type Line = { timestamp: string; ordinal?: number; type: string; payload: Record<string, unknown> };

/** Lines of a rollout as plain JSON, read without any code of the adapter. */
export function linesOf(path: string): Line[] {
  const text = readFileSync(path, 'utf8');
  if (!text.endsWith('\n')) throw new Error('no line feed at the end');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Payloads of the response items: what Codex sends to its model. */
export function itemsOf(path: string): Record<string, unknown>[] {
  return linesOf(path).flatMap(({ type, payload }) => (type === 'response_item' ? [payload] : []));
}
