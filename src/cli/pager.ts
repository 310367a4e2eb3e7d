import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Writable } from 'node:stream';
import { type AppError, fail } from '../shared/errors.ts';
import type { CliIo } from './io.ts';

/** Long output for people goes through the user's pager, as git does it. */
export interface Paged {
  /** in place of the streams it was made of; the pager starts with the first word of the result */
  io: CliIo;
  /** Resolves when the reader has left the pager; to an error when there was none to be read in. */
  close(): Promise<AppError | null>;
}

/** less as git calls it: short text stays on the screen, colours pass. */
const SETTINGS = { LESS: 'FRX', LV: '-c' };

/** How a shell says that a program is not there, or is none. */
const NOT_STARTED: readonly number[] = [126, 127];

/** The pager that the user wants: $PAGER, else less where it is; null for none, which an empty $PAGER and `cat` mean too. */
function pagerOf(env: CliIo['env']): string | null {
  const wanted = env.PAGER ?? (isOnPath('less', env) ? 'less' : '');
  return wanted === '' || wanted === 'cat' ? null : wanted;
}

function isOnPath(program: string, env: CliIo['env']): boolean {
  return (env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}

/** null where there is no terminal, or no pager. */
export function pagedIo(io: CliIo): Paged | null {
  const pager = io.stdout.isTTY === true && io.env.TERM !== 'dumb' ? pagerOf(io.env) : null;
  if (pager === null) return null;
  let child: ChildProcess | null = null;
  let target: Promise<Writable> | null = null;
  const start = async (): Promise<Writable> => {
    const started = spawn(pager, {
      shell: true,
      cwd: io.cwd,
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { ...SETTINGS, ...io.env },
    });
    const runs = await once(started, 'spawn').then(
      () => true,
      () => false,
    );
    if (!runs) return io.stdout;
    child = started;
    return started.stdin;
  };
  const stdout = through(() => (target ??= start()), io.stdout.columns);
  // what is said once the pager has the screen stands in it too
  const stderr = through(() => target ?? Promise.resolve(io.stderr), io.stderr.columns);
  Object.defineProperty(stderr, 'isTTY', { get: () => io.stderr.isTTY === true && target === null });
  return {
    io: { ...io, stdout, stderr },
    close: async () => {
      if (!stdout.destroyed) await new Promise<void>((resolve) => stdout.end(resolve));
      if (child === null) return null;
      child.stdin?.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
      return NOT_STARTED.includes(child.exitCode ?? 0)
        ? fail('target_unavailable', `The pager "${pager}" cannot be started. Use --no-pager, or set PAGER.`).error
        : null;
    },
  };
}

/** A terminal that hands all to the stream of the moment; a reader that left is an EPIPE, as with a pipe. */
function through(target: () => Promise<Writable>, columns: number | undefined): CliIo['stdout'] {
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      target().then((to) => {
        if (to.listenerCount('error') === 0) to.on('error', (error) => stream.destroy(error));
        to.write(chunk, done);
      }, done);
    },
  });
  return Object.assign(stream, { isTTY: true, ...(columns === undefined ? {} : { columns }) });
}
