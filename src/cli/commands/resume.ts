import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { resolve as resolvePath } from 'node:path';
import { safeLine } from '../../core/safe-text.ts';
import type { Engine } from '../../engine/engine.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { Command } from '../../shared/handoff.ts';
import { type Cli, type Run, withEngine } from '../command.ts';
import { handleOf } from '../handle.ts';
import { type Carried, carry } from './resume-elsewhere.ts';

interface Options {
  agent?: string;
  cwd?: string;
  run?: boolean;
}

/** The command that goes on; with another agent also the session that was written for it, and what it can promise (L1). */
type Resumed = Command & Partial<Carried>;

/** `sessionctl resume`: prints the command that goes on with a session, or runs it in the session's folder. */
export const resume: Run<Options, [string]> = async (cli, options, session) => {
  let command: Command | null = null;
  const code = await withEngine(cli, async (engine) => {
    const found = await commandOf(cli, engine, options, handleOf(cli, session));
    if (found.ok) command = found.value;
    if (found.ok && found.value.new_session !== undefined && !cli.output.json) tellCarried(cli, found.value);
    if (found.ok && options.run) return 0;
    return cli.output.end(found, ({ text }) => cli.output.line(safeLine(text)));
  });
  // the store is closed before the agent starts, since it may stay open for days
  return command && options.run ? cli.lend(runAgent(cli, command)) : code;
};

/** A session's own agent goes on by its own means; any other one needs a session of its own first. */
async function commandOf(cli: Cli, engine: Engine, { agent, cwd }: Options, id: string): Promise<Result<Resumed>> {
  const found = await engine.call('sessions.get', { id });
  if (!found.ok) return found;
  if (agent === undefined || agent === found.value.agent) return engine.call('resume.command', { id: found.value.id });
  const where = cwd === undefined ? undefined : resolvePath(cli.io.cwd, cwd);
  const carried = await carry(engine, { session: found.value.id, to: agent, cwd: where }, cli.signal);
  return carried.ok ? ok({ ...carried.value.command, ...carried.value.carried }) : carried;
}

function tellCarried({ output }: Cli, { replayed, level, operation_id }: Resumed): void {
  output.note(
    replayed
      ? 'It was written for this agent before, and nothing was added since.'
      : `A new session was written (${level}: what the model sees; its own records stay with the source). Take it back: ${output.typed(`sessionctl handoff --undo --operation ${operation_id}`)}`,
  );
}

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
    const pass = (): boolean => child.kill('SIGTERM');
    process.on('SIGTERM', pass);
    child.on('close', () => process.off('SIGTERM', pass));
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
