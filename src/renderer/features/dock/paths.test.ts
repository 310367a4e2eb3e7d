import { describe, expect, it } from 'vitest';
import type { HandoffPlan } from '../../../shared/handoff.ts';
import { dockOrder, pathTo } from './paths.ts';

const agent = (id: string, can_receive: boolean, why_not?: string) => ({
  id,
  label: id,
  installed: can_receive,
  version: null,
  can_receive,
  verified: [],
  ...(why_not ? { why_not } : {}),
});

describe('pathTo', () => {
  it('says the way before the drop, and why there is none', () => {
    expect(pathTo(agent('codex', true), 'claude', undefined)).toMatchObject({ kind: 'native', possible: true });
    expect(pathTo(agent('pi', false, 'No CLI found'), 'claude', undefined)).toMatchObject({
      kind: 'none',
      possible: false,
      why: 'No CLI found',
    });
  });

  it('follows the plan when it is there', () => {
    const plan = {
      mode: 'native-tail',
      modes: [{ mode: 'native-tail', turns: 12, tokens: 1, possible: true }],
    } as HandoffPlan;
    expect(pathTo(agent('codex', true), 'claude', plan)).toMatchObject({
      kind: 'tail',
      why: 'Too long to go whole; last 12 turns',
    });
  });
});

describe('dockOrder', () => {
  it('puts other agents first and those that cannot receive last', () => {
    expect(
      dockOrder([agent('gemini', false), agent('claude', true), agent('codex', true)], 'claude').map((each) => each.id),
    ).toEqual(['codex', 'claude', 'gemini']);
  });
});
