import { describe, expect, it } from 'vitest';
import type { SessionRow } from '../shared/session.ts';
import { cleaner } from './outgoing.ts';
import { briefOf } from './session.ts';

const token = (): string => ['gh', 'p_', 'q7Rk2mXw9TzB4nVc8LdF6hJs3GyA1eUo5PiZ'].join('');

function titleOf(more: Partial<SessionRow>): string | null {
  const row = {
    native_id: 'n',
    cwd: null,
    cwd_last: null,
    git_branch: null,
    model: null,
    first_prompt: null,
  } as object;
  const rest = { counts: {}, started_at: null, last_activity: null };
  return briefOf({ ...row, ...rest, ...more } as SessionRow, cleaner()).title;
}

describe('the title of a session', () => {
  it('is one line, shortened', () => {
    expect(titleOf({ title: 'Fix\nthe  parser', title_from: 'agent' })).toBe('Fix the parser');
    expect(titleOf({ title: 'word '.repeat(90), title_from: 'user' })).toMatch(/^(word )+.*…$/);
  });

  it('shows no part of a secret at the place where it is cut, nor where the store has cut it', () => {
    for (let at = 60; at < 125; at++) {
      const text = `${'x '.repeat(Math.ceil(at / 2))}${token()} and so on, ${'y '.repeat(60)}`;
      const title = titleOf({
        title: `${text.slice(0, 119)}…`,
        first_prompt: text.slice(0, 300),
        title_from: 'prompt',
      });
      expect(title).not.toContain(token().slice(4, 8));
      expect(titleOf({ title: text, title_from: 'agent' })).not.toContain(token().slice(4, 8));
    }
    const cut = `Use ${token().slice(0, 14)}…`;
    expect(titleOf({ title: cut, first_prompt: cut, title_from: 'prompt' })).toBe('Use …');
  });
});
