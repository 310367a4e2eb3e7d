import { describe, expect, it } from 'vitest';
import { openTerminal, terminalCandidates } from './terminal.ts';

const command = {
  argv: ['codex', 'resume', 'id; rm -rf "x"'],
  cwd: '/home/dev/a b',
  text: `cd '/home/dev/a b' && codex resume 'id; rm -rf "x"'`,
};

describe('open in terminal', () => {
  it('passes the command as arguments of its own on Linux, so that no shell reads it', () => {
    for (const argv of terminalCandidates('linux', command)) expect(argv.slice(-3)).toEqual(command.argv);
  });

  it('escapes the quoted line for AppleScript', () => {
    expect(terminalCandidates('darwin', command)[0]?.[2]).toBe(
      `tell application "Terminal" to do script "cd '/home/dev/a b' && codex resume 'id; rm -rf \\"x\\"'"`,
    );
  });

  it('gives the command to copy when there is no terminal', async () => {
    const result = await openTerminal({ ...command, cwd: '/nonexistent' }, 'linux');
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'target_unavailable', message: expect.stringContaining(command.text) },
    });
  });
});
