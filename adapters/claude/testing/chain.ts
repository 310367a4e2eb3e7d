import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

export type Line = Record<string, unknown> & {
  type: string;
  message: { content: Block[]; id?: string; stop_reason?: string };
};
export type Block = Record<string, unknown>;

/** Lines as plain JSON, read without any code of the adapter. */
export function linesOf(path: string): Line[] {
  const text = readFileSync(path, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line));
}

export const chainOf = (path: string): Line[] =>
  linesOf(path).filter(({ type }) => type === 'user' || type === 'assistant');
export const blocksOf = (path: string): Block[] => chainOf(path).flatMap(({ message }) => message.content);

/** The rules of the format, checked on plain JSON. */
export function soundChain(path: string): void {
  const chain = chainOf(path);
  expect(chain[0]?.type).toBe('user');
  expect(chain.map(({ parentUuid }) => parentUuid)).toEqual([null, ...chain.slice(0, -1).map(({ uuid }) => uuid)]);
  expect(new Set(chain.map(({ uuid }) => uuid)).size).toBe(chain.length);
  const replies = chain.flatMap(({ message }) => (message.id === undefined ? [] : [message.id]));
  expect(new Set(replies).size).toBe(replies.length);
  const times = chain.map(({ timestamp }) => String(timestamp));
  expect(times).toEqual([...new Set(times)].sort());
  const used = new Set<unknown>();
  let open: unknown[] = [];
  for (const block of chain.flatMap(({ message }) => message.content)) {
    if (block.type === 'tool_use') {
      expect(block.id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(used.has(block.id)).toBe(false);
      used.add(block.id);
      open.push(block.id);
    } else if (block.type === 'tool_result') {
      expect(open).toContain(block.tool_use_id);
      open = open.filter((id) => id !== block.tool_use_id);
    } else if (block.type === 'text') expect(String(block.text).trim()).not.toBe('');
  }
  expect(open).toEqual([]);
}
