import { readFileSync } from 'node:fs';
import type { AgentEnv, MaterializeOptions } from '../../contract.ts';

export const SESSION = '01a228d3-4894-72ed-aba7-06628b3b953f';

export function writeOptions(env: AgentEnv, more: Partial<MaterializeOptions> = {}): MaterializeOptions {
  return {
    env,
    nativeId: SESSION,
    title: 'A title',
    cwd: '/home/dev/project',
    version: '1.6.0',
    at: 1_795_960_000,
    tokens: 1234,
    ...more,
  };
}

export type Line = Record<string, unknown> & { type: string; id: string; parentId?: string | null; timestamp: string };

/** Lines of a session as plain JSON, read without any code of the adapter. */
export function linesOf(path: string): Line[] {
  const text = readFileSync(path, 'utf8');
  if (!text.endsWith('\n')) throw new Error('no line feed at the end');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** The messages in a session file. */
export function messagesOf(path: string): Record<string, unknown>[] {
  return linesOf(path).flatMap(({ type, message }) => (type === 'message' ? [message as Record<string, unknown>] : []));
}
