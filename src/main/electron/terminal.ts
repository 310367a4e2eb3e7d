import { spawn } from 'node:child_process';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { Command } from '../../shared/handoff.ts';

/**
 * Programs that open a terminal with a command, the system's own first. The command goes as separate arguments wherever
 * the terminal takes them; only macOS and cmd need one quoted line, which the engine has made.
 */
export function terminalCandidates(platform: NodeJS.Platform, command: Command): string[][] {
  if (platform === 'darwin') {
    const line = command.text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
    return [
      [
        'osascript',
        '-e',
        `tell application "Terminal" to do script "${line}"`,
        '-e',
        'tell application "Terminal" to activate',
      ],
    ];
  }
  if (platform === 'win32') {
    const at = command.cwd === null ? [] : ['-d', command.cwd];
    return [
      ['wt.exe', ...at, ...command.argv],
      ['cmd.exe', '/c', 'start', '', 'cmd.exe', '/k', ...command.argv],
    ];
  }
  return [
    ['x-terminal-emulator', '-e', ...command.argv],
    ['gnome-terminal', '--', ...command.argv],
    ['konsole', '-e', ...command.argv],
    ['xfce4-terminal', '-x', ...command.argv],
    ['xterm', '-e', ...command.argv],
  ];
}

/** Opens the first terminal that starts. Error: target_unavailable, with the command to copy. */
export async function openTerminal(
  command: Command,
  platform: NodeJS.Platform = process.platform,
): Promise<Result<void>> {
  for (const [program, ...args] of terminalCandidates(platform, command)) {
    if (program !== undefined && (await starts(program, args, command.cwd))) return ok(undefined);
  }
  return fail('target_unavailable', `No terminal could be opened. Run it yourself: ${command.text}`);
}

function starts(program: string, args: string[], cwd: string | null): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { detached: true, stdio: 'ignore', ...(cwd === null ? {} : { cwd }) });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
