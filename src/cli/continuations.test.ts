import { describe, expect, it } from 'vitest';
import type { Engine } from '../engine/engine.ts';
import { fail, ok } from '../shared/errors.ts';
import type { SessionRow } from '../shared/session.ts';
import { partsOf } from './continuations.ts';

const row = (
  id: string,
  parent: string | null,
  kind: SessionRow['parent_kind'],
  children: string[],
  at = 0,
): SessionRow => ({ id, parent, parent_kind: kind, children, last_activity: at }) as SessionRow;

const family = [
  row('root', null, null, ['middle', 'fork']),
  row('middle', 'root', 'continuation', ['tip', 'left', 'helper']),
  row('left', 'middle', 'continuation', [], 5),
  row('tip', 'middle', 'continuation', [], 9),
  row('helper', 'middle', 'subagent', [], 12),
  row('fork', 'root', 'fork', [], 20),
];
const engine = { call: async () => ok(family) } as unknown as Engine;
const names = async (id: string): Promise<string[]> =>
  (await partsOf(engine, family.find((one) => one.id === id)!)).map((part) => part.id);

describe('the parts of a conversation', () => {
  it.each(['root', 'middle', 'tip'])('are all named by %s, the live one last', async (id) => {
    expect(await names(id)).toEqual(['root', 'middle', 'tip']);
  });

  it('leave out sub-agents and forks, which stand alone', async () => {
    expect(await names('helper')).toEqual(['helper']);
    expect(await names('fork')).toEqual(['fork']);
  });

  it('are the session itself where its family cannot be told', async () => {
    const broken = { call: async () => fail('internal', 'no') } as unknown as Engine;
    expect(await partsOf(broken, family[0]!)).toEqual([family[0]]);
  });

  it('end where the chain bites its tail', async () => {
    const ring = [row('a', 'b', 'continuation', ['b']), row('b', 'a', 'continuation', ['a'])];
    const looped = { call: async () => ok(ring) } as unknown as Engine;
    expect((await partsOf(looped, ring[0]!)).map(({ id }) => id)).toEqual(['b', 'a']);
  });
});
