import { describe, expect, it } from 'vitest';
import { nextSteps, type Standing } from './next-steps.ts';

const claude = { agent: 'claude', label: 'Claude Code', exists: true, enabled: false, sessions: 3 };
const agents = [
  { id: 'claude', label: 'Claude Code', installed: true, can_receive: true },
  { id: 'cursor', label: 'Cursor', installed: true, can_receive: false },
  { id: 'codex', label: 'Codex', installed: false, can_receive: true },
];
const standing: Standing = { initialised: true, sessions: 0, sources: [claude], agents, newest: null };
const commands = (change: Partial<Standing>): string[] =>
  nextSteps({ ...standing, ...change }).map(({ command }) => command);

describe('the next step', () => {
  it('is a store, then consent, then reading, then going on', () => {
    expect(commands({ initialised: false })).toEqual(['sessionctl init']);
    expect(commands({})).toEqual(['sessionctl sources enable claude']);
    const sources = [{ ...claude, enabled: true }];
    expect(commands({ sources })).toEqual(['sessionctl list']);
    expect(commands({ sources, sessions: 3 })).toEqual(['sessionctl list']);
    const newest = { id: 'sess_0123456789abcdef0123', agent: 'claude' };
    const show = 'sessionctl show sess_01234567';
    expect(commands({ sources, sessions: 3, newest })).toEqual([show, 'sessionctl resume sess_01234567']);
    const withCodex = agents.map((agent) => ({ ...agent, installed: true }));
    expect(commands({ sources, sessions: 3, newest, agents: withCodex })).toEqual([
      show,
      'sessionctl handoff sess_01234567 --to codex',
    ]);
  });

  it('is none where no agent kept anything, and names what else could be read', () => {
    expect(commands({ sources: [{ ...claude, exists: false, sessions: 0 }] })).toEqual([]);
    const pi = { ...claude, agent: 'pi', label: 'Pi' };
    expect(nextSteps({ ...standing, sources: [{ ...claude, enabled: true }, pi, pi] }).at(-1)).toEqual({
      command: 'sessionctl sources enable pi',
      why: 'let Pi be read too',
    });
  });
});
