/** A terminal program on a screen of its own (tmux), so that what a person would see can be read. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Lab } from './lab.ts';

const run = promisify(execFile);
const COLUMNS = 220;
const ROWS = 50;
const POLL_MS = 100;

export interface Terminal {
  /** The text on the screen now. */
  screen(): Promise<string>;
  /** Waits until `seen` holds for the screen; false when it does not within the time. */
  until(seen: (screen: string) => boolean, timeoutMs: number): Promise<boolean>;
  /** Presses named keys (`Enter`, `C-c`). */
  press(...keys: string[]): Promise<void>;
  type(text: string): Promise<void>;
  /** Ends the program and its screen. */
  close(): Promise<void>;
}

/** Every terminal has a server of its own: one that is still ending must not take the next one down. */
let opened = 0;

/** Starts `argv` in `cwd`. Throws when tmux is not there. */
export async function openTerminal(
  lab: Lab,
  argv: string[],
  cwd: string,
  env: Record<string, string>,
): Promise<Terminal> {
  const socket = join(lab.home, 'tmp', `screen${++opened}`);
  const tmux = async (...args: string[]): Promise<string> =>
    (await run('tmux', ['-S', socket, ...args], { env })).stdout;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const size = ['-x', String(COLUMNS), '-y', String(ROWS)];
  await tmux(
    '-f',
    '/dev/null',
    'new-session',
    '-d',
    '-s',
    'lab',
    ...size,
    '-c',
    cwd,
    'env',
    '-i',
    ...variables,
    ...argv,
  );
  const screen = (): Promise<string> => tmux('capture-pane', '-p', '-t', 'lab').catch(() => '');
  return {
    screen,
    until: async (seen, timeoutMs) => {
      const end = Date.now() + timeoutMs;
      while (Date.now() < end) {
        if (seen(await screen())) return true;
        await pause(POLL_MS);
      }
      return false;
    },
    press: async (...keys) => {
      for (const key of keys) await tmux('send-keys', '-t', 'lab', key);
    },
    type: async (text) => {
      await tmux('send-keys', '-t', 'lab', '-l', text);
    },
    close: async () => {
      await tmux('kill-server').catch(() => '');
    },
  };
}
