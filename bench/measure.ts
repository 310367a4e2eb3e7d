import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** One program to run, from the folder of built programs. `prepare` runs before each round, `check` after, both untimed. */
export interface Contestant {
  program: string;
  args: string[];
  prepare?: () => unknown;
  check?: (told: Told) => Promise<void>;
}

/** What a program said at its end. */
export type Told = Record<string, unknown> & { cpu_ms: number; peak_mb: number };

/** A run from outside: the whole process, start-up and all. */
export interface Run {
  wall_ms: number;
  told: Told;
}

/** Runs a built program to its end. Throws when it fails, with what it said. */
export async function run(folder: string, program: string, args: string[]): Promise<Run> {
  const start = performance.now();
  const child = spawn(process.execPath, [`${folder}/${program}.js`, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const wall_ms = performance.now() - start;
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${err.slice(-2000)}`);
  return { wall_ms, told: JSON.parse(out.trim().split('\n').at(-1) as string) as Told };
}

/**
 * Runs all contestants in each round, in reversed order every other round, so that what else the machine does falls on all
 * of them. The first round warms the page cache and is not counted.
 */
export async function roundRobin(folder: string, contestants: readonly Contestant[], rounds: number): Promise<Run[][]> {
  const runs: Run[][] = contestants.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    const order = [...contestants.keys()];
    if (round % 2 === 1) order.reverse();
    for (const i of order) {
      const { program, args, prepare, check } = contestants[i] as Contestant;
      await prepare?.();
      const one = await run(folder, program, args);
      await check?.(one.told);
      if (round > 0) runs[i]?.push(one);
    }
  }
  return runs;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = part * (sorted.length - 1);
  const low = sorted[Math.floor(at)] as number;
  const high = sorted[Math.ceil(at)] as number;
  return low + (high - low) * (at - Math.floor(at));
}
