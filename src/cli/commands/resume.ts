import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fail } from '../../shared/errors.ts';
import type { Command } from '../../shared/handoff.ts';
import { type Cli, type Run, withEngine } from '../command.ts';
import { handleOf } from '../handle.ts';

/** `sessionctl resume`: prints the agent's own command, or runs it in the session's folder. */
export const resume: Run<{ run?: boolean }, [string]> = async (cli, options, session) => {
  let command: Command | null = null;
  const code = await withEngine(cli, async (engine) => {
    const found = await engine.call('resume.command', { id: handleOf(cli, session) });
    if (found.ok) command = found.value;
    if (found.ok && options.run) return 0;
    return cli.output.end(found, ({ text }) => cli.output.line(text));
  });
  // the store is closed before the agent starts, since it may stay open for days
  return command && options.run ? cli.lend(runAgent(cli, command)) : code;
};

/** Gives the terminal to the agent and returns its exit code. */
function runAgent(cli: Cli, { argv: [program = '', ...args], cwd }: Command): Promise<number> {
  if (cwd !== null && !existsSync(cwd)) {
    return Promise.resolve(
      cli.output.fail(fail('unknown_cwd', `The session's folder ${cwd} is not on this machine.`, { cwd }).error),
    );
  }
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: cwd ?? cli.io.cwd,
      stdio: 'inherit',
      env: cli.io.env,
      shell: process.platform === 'win32',
    });
    // Ctrl-C reaches it from the terminal, SIGTERM does not
    cli.signal.addEventListener('abort', () => cli.signal.reason === 'SIGTERM' && child.kill('SIGTERM'));
    child.on('error', (error) => {
      resolve(
        cli.output.fail(
          fail('target_unavailable', `${program} cannot be started: ${error.message}. Is it installed and on the PATH?`)
            .error,
        ),
      );
    });
    child.on('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}
