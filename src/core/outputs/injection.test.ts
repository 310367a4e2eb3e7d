import { describe, expect, it } from 'vitest';
import { injectionOf, type Page } from './injection.ts';

const page = (more: Partial<Page> = {}): Page => ({
  text: '# Handed over\n',
  tokens: 2_000,
  file: '/home/dev/shop/context.md',
  cwd: '/home/dev/shop',
  ...more,
});
const lineOf = (agent: string, more: Partial<Page> = {}): string | undefined =>
  injectionOf(agent, page(more)).command?.text;
const SAID = 'Go on with the task. All that is known of it so far is in';

describe('the command that gives an agent its page', () => {
  it('attaches the file to the first prompt, at the point that each agent has for it', () => {
    expect(lineOf('claude')).toBe(`cd /home/dev/shop && claude '${SAID} @context.md'`);
    expect(lineOf('codex')).toBe('cd /home/dev/shop && codex "$(cat context.md)"');
    expect(lineOf('pi')).toBe(`cd /home/dev/shop && pi @context.md '${SAID} this file.'`);
    expect(lineOf('opencode')).toBe(
      `cd /home/dev/shop && opencode run --interactive --file context.md -- '${SAID} the attached file.'`,
    );
    expect(lineOf('gemini')).toBe(`cd /home/dev/shop && gemini --prompt-interactive '${SAID} @context.md'`);
    expect(injectionOf('hermes', page())).toMatchObject({
      command: { text: 'cd /home/dev/shop && hermes' },
      prompt: `${SAID} @file:context.md`,
    });
    expect(injectionOf('cursor', page())).toMatchObject({ command: null, prompt: `${SAID} @context.md` });
    expect(lineOf('aider')).toBe('cd /home/dev/shop && aider --read context.md');
  });

  it('says what to do where nothing is known', () => {
    expect(injectionOf('other', page())).toMatchObject({ command: null, how: expect.stringContaining('paste it') });
  });

  it('takes another way where the file is too long for the first', () => {
    expect(lineOf('claude', { tokens: 30_000 })).toBe(
      "cd /home/dev/shop && claude --append-system-prompt-file context.md 'Go on with the task.'",
    );
    const long = 'x'.repeat(130_000);
    expect(lineOf('codex', { text: long })).toBe('cd /home/dev/shop && codex exec - < context.md');
    expect(lineOf('opencode', { text: long })).toBe('cd /home/dev/shop && opencode run < context.md');
    expect(injectionOf('gemini', page({ text: 'x\n'.repeat(2_500) })).too_long).toContain('2000 lines of 2501');
    expect(injectionOf('gemini', page()).too_long).toBeUndefined();
  });

  it('names a file elsewhere, or with spaces, as each of them reads it', () => {
    const file = '/home/dev/my notes/context.md';
    expect(injectionOf('claude', page({ file })).command?.argv.at(-1)).toBe(`${SAID} @"${file}"`);
    expect(injectionOf('gemini', page({ file })).command?.argv).toEqual([
      'gemini',
      '--include-directories',
      '/home/dev/my notes',
      '--prompt-interactive',
      `${SAID} @/home/dev/my\\ notes/context.md`,
    ]);
    expect(injectionOf('hermes', page({ file })).prompt).toBe(`${SAID} @file:"${file}"`);
    expect(lineOf('codex', { file })).toBe(`cd /home/dev/shop && codex "$(cat '${file}')"`);
    expect(lineOf('pi', { file: 'context.md', cwd: null })).toBe(`pi @context.md '${SAID} this file.'`);
  });

  it('quotes a folder and a name that a shell would obey', () => {
    const line = lineOf('codex', { file: "/home/dev/it's/$(rm x).md", cwd: "/home/dev/it's" });
    expect(line).toBe(`cd '/home/dev/it'\\''s' && codex "$(cat '$(rm x).md')"`);
  });
});
