import { describe, expect, it } from 'vitest';
import type { HandoffPlan } from '../../../shared/handoff.ts';
import { modeWhat, refusalOf } from './plan-words.ts';

const plan = (tail: boolean, code = 'window_exceeded'): HandoffPlan =>
  ({
    target: { label: 'Codex' },
    budget: { window: 272_000, reserve: 27_200 },
    modes: [
      { mode: 'native', tokens: 300_000, possible: false, why: '300000 tokens are more than the 244800' },
      { mode: 'native-tail', tokens: 90_000, turns: 4, possible: tail, why: 'The session has one turn only' },
      { mode: 'context', tokens: 20_000, possible: true },
    ],
    refused: { code, message: 'Name a folder' },
  }) as unknown as HandoffPlan;

describe('the words of a plan', () => {
  it('say how long a session is and how much fits, and else why a way is closed', () => {
    const made = plan(false);
    expect(made.modes.map((mode) => modeWhat(made, mode))).toEqual([
      '300k tokens; Codex has room for 245k',
      'The session has one turn only',
      expect.stringContaining('20.0k'),
    ]);
  });

  it('name the ways that are open, by the names of their buttons', () => {
    expect(refusalOf(plan(true))).toBe('Too long to go to Codex this way. Choose “Last turns” or “Brief”.');
    expect(refusalOf(plan(false))).toBe('Too long to go to Codex this way. Choose “Brief”.');
  });

  it('name no option of the command line', () => {
    expect(refusalOf(plan(true, 'unknown_cwd'))).not.toContain('--');
  });
});
