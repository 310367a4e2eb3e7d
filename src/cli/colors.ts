import type { CliIo } from './io.ts';

/**
 * Whether a stream gets colours: `--no-color` first, then FORCE_COLOR (force-color.org; 0 and false mean none),
 * NO_COLOR (no-color.org) and TERM=dumb; else where a terminal is.
 */
export function isColored(env: CliIo['env'], flag: boolean | undefined, stream: { isTTY?: boolean }): boolean {
  if (flag === false) return false;
  if (env.FORCE_COLOR) return !/^(?:0|false)$/.test(env.FORCE_COLOR);
  return !env.NO_COLOR && env.TERM !== 'dumb' && stream.isTTY === true;
}
