import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { THREAD, type tempHome } from './home.ts';
import { type Captured, captureHome, told } from './native.ts';

/** Lines of a rollout, for tests of reading: each is made a second after the last one. */

export type Json = Record<string, unknown>;
type Home = ReturnType<typeof tempHome>;

let clock = 0;
export const line = (type: string, payload: Json, more: Json = {}): string =>
  `${JSON.stringify({ timestamp: new Date(1_795_960_000_000 + 1000 * clock++).toISOString(), type, payload, ...more })}\n`;
export const meta = (more: Json = {}, id = THREAD): string =>
  line('session_meta', {
    id,
    timestamp: '2026-11-29T13:49:51.000Z',
    cwd: '/home/dev/project',
    originator: 'codex_cli_rs',
    cli_version: '0.139.0',
    source: 'cli',
    ...more,
  });
export const user = (text: string, more: Json = {}): string =>
  line('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text }], ...more });
export const reply = (text: string, more: Json = {}): string =>
  line('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }, more);
export const event = (type: string, more: Json = {}): string => line('event_msg', { type, ...more });
export const said = (message: string): string => event('user_message', { message });
export const answered = (message: string): string => event('agent_message', { message });
export const shown = (item: Json): string => event('item_completed', { item });
export const call = (call_id: string, name = 'shell', args = '{"command":["bash","-lc","ls"]}'): string =>
  line('response_item', { type: 'function_call', name, arguments: args, call_id });
export const output = (call_id: string, text = 'a'): string =>
  line('response_item', { type: 'function_call_output', call_id, output: text });

/** Where the rollout of a thread lies; its folder is made. */
export function pathIn({ codex }: Home, id = THREAD, folder = 'sessions/2026/11/29'): string {
  const path = join(codex, folder, `rollout-2026-11-29T13-49-51-${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

/** Writes a thread of these lines and captures it; every record is accounted for. */
export async function captureLines(home: Home, ...lines: string[]): Promise<Captured> {
  writeFileSync(pathIn(home), lines.join(''));
  const [thread] = await captureHome(home.env);
  expect(told(thread!.outcome)).toBe(thread!.outcome.records);
  return thread!;
}

export const warned = (captured: Captured): string[] => captured.warnings.map(({ about }) => about);
export const talk = (captured: Captured): string[] =>
  captured.events.flatMap(({ type, payload }) => {
    if (type === 'tool.call') return [`call ${String(payload.call_id)}`];
    if (type === 'tool.result') return [`result ${String(payload.call_id)}`];
    const kind = {
      'message.user': 'prompt',
      'message.assistant': 'reply',
      'message.thinking': 'thinking',
      'message.system': 'note',
    }[type as string];
    return kind === undefined
      ? []
      : [`${kind} ${String(payload.text ?? (payload.content as { text: string }[])[0]?.text)}`];
  });
