import { describe, expect, it } from 'vitest';
import type { ToolCard } from '../../shared/transcript.ts';
import { groupHeader, toolLines } from './tool-groups.ts';

let seq = 0;
const card = (
  tool: ToolCard['tool'],
  header: string,
  result: Partial<NonNullable<ToolCard['result']>> | null = {},
): ToolCard => {
  seq += 1;
  return {
    seq,
    call_id: `c${seq}`,
    name: tool,
    tool,
    header,
    arguments: {},
    result: result && { seq, is_error: false, closed: 'ran', content: [], ...result },
  };
};
const shape = (cards: ToolCard[]) =>
  toolLines(cards).map((line) => (line.kind === 'group' ? `${line.reads}r${line.searches}s` : line.call.tool));

describe('toolLines', () => {
  it('groups reads and searches in a row and keeps the order of the rest', () => {
    expect(
      shape([card('read', 'a/x'), card('search', 'tok'), card('shell', 'ls'), card('read', 'b'), card('edit', 'b')]),
    ).toEqual(['1r1s', 'shell', 'read', 'edit']);
  });

  it('never hides an error or a running call in a group', () => {
    expect(
      shape([
        card('read', 'a'),
        card('read', 'b', { is_error: true }),
        card('read', 'c'),
        card('read', 'd'),
        card('read', 'e', null),
      ]),
    ).toEqual(['read', 'read', '2r0s', 'read']);
    expect(shape([card('read', 'a', { closed: 'denied' }), card('read', 'b')])).toEqual(['read', 'read']);
  });
});

describe('groupHeader', () => {
  it('names each folder or pattern once', () => {
    expect(groupHeader([card('read', 'src/auth/a.ts'), card('read', 'src/auth/b.ts'), card('search', 'token')])).toBe(
      'src/auth · token',
    );
  });
});
