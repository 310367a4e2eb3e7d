import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellCommand } from './shell-command.ts';

const HOSTILE = [
  "it's",
  '$(touch x)`id`"; rm -rf ~ #',
  'a b\tc\nd',
  '\x1b]0;title\x07\x1b[2J',
  '\x7f\u009b31m \u202eevil\u2066',
  "\x011'\\n",
  '~',
  '*',
  '!!',
  '-rf',
  '',
];

describe('a command for a person to copy', () => {
  it('is plain where its words are', () => {
    expect(shellCommand(['codex', 'resume', '01a2-b3'], '/home/dev/work')).toEqual({
      argv: ['codex', 'resume', '01a2-b3'],
      cwd: '/home/dev/work',
      text: 'cd /home/dev/work && codex resume 01a2-b3',
    });
    expect(shellCommand(['claude', '--resume', 'x'], null).text).toBe('claude --resume x');
  });

  it.each(HOSTILE)('reaches the program word by word, and no terminal obeys it: %j', (word) => {
    const { text } = shellCommand(['printf', '%s', word], null);
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    const run = spawnSync('bash', ['-c', text], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } });
    expect(run.stdout).toBe(word);
  });

  it('goes to the folder, whatever its name', () => {
    expect(shellCommand(['pwd'], '-rf').text).toBe('cd ./-rf && pwd');
    expect(shellCommand(['pwd'], "/a'; rm -rf ~ #").text).toBe("cd '/a'\\''; rm -rf ~ #' && pwd");
  });
});
