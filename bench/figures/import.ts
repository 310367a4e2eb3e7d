import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionMade } from '../generate/claude-session.ts';
import { writeLargeSession, writeLongLine, writeSmallSessions } from '../generate/files.ts';
import { type Contestant, median, type Run, roundRobin, run, type Told } from '../measure.ts';
import { absolute, type Figure, relative } from '../report.ts';
import type { Surroundings } from '../surroundings.ts';

/** Import against the floor of the same run, peak memory and size on disk. */

interface Bars {
  ratio: number;
  peak: number;
}

/** One file or database. `made` = what is in it, when it is known; `tables` = those that the floor of a database reads. */
export async function importSource(
  around: Surroundings,
  name: string,
  path: string,
  bars: Bars,
  { made, tables = [] }: { made?: SessionMade; tables?: string[] } = {},
): Promise<Figure[]> {
  const program = tables.length > 0 ? 'floor-database' : 'floor-stream';
  const floor: Contestant = { program, args: [path, join(around.folder, 'floor.jsonl'), ...tables] };
  const candidate = importing(around, path, made);
  return figures(name, await roundRobin(around.programs, [floor, candidate], around.rounds), bars, statSync(path).size);
}

function importing(around: Surroundings, path: string, made?: SessionMade): Contestant {
  const home = join(around.folder, 'store');
  return {
    program: 'import',
    args: [home, around.folder, path],
    prepare: () => around.fresh('store'),
    check: async (told) => {
      expect(told, 'warnings', 0);
      const verified = await verify(around, home);
      if (made !== undefined) compare(verified, made);
    },
  };
}

async function verify(around: Surroundings, home: string): Promise<Told> {
  const { told } = await run(around.programs, 'verify', [home]);
  if (told.broken !== 0)
    throw new Error(`the store does not verify: ${told.broken} events, first ${told.first_broken}`);
  return told;
}

/** The events found in the store are those that were written. */
function compare({ types }: Told, { kinds }: SessionMade): void {
  const found = types as Record<string, number>;
  const pairs = {
    prompt: 'message.user',
    text: 'message.assistant',
    thinking: 'message.thinking',
    call: 'tool.call',
    result: 'tool.result',
  };
  for (const [kind, type] of Object.entries(pairs))
    if (kinds[kind] !== found[type])
      throw new Error(`${kinds[kind]} records of kind ${kind} were written, ${found[type]} ${type} stored`);
}

function expect(told: Told, key: string, value: unknown): void {
  if (told[key] !== value) throw new Error(`${key} is ${told[key]}, should be ${value}`);
}

function figures(name: string, [floors, candidates]: Run[][], bars: Bars, bytes: number): Figure[] {
  const pick = (runs: Run[] = [], of: (run: Run) => number) => runs.map(of);
  const seconds = (runs?: Run[]) => median(pick(runs, (one) => one.wall_ms / 1000));
  const cpu = (runs?: Run[]) => Math.round(median(pick(runs, (one) => one.told.cpu_ms)));
  const ratios = pick(candidates, (one) => one.wall_ms).map((wall, i) => wall / (floors?.[i]?.wall_ms ?? Number.NaN));
  const spread = `${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}`;
  const note = `median of ${ratios.length} rounds, ratios ${spread}; CPU ${cpu(candidates)} ms, floor ${cpu(floors)} ms (${(cpu(candidates) / cpu(floors)).toFixed(2)} ×); ${bytes} bytes`;
  const peak = Math.max(...pick(candidates, (one) => one.told.peak_mb));
  const floorPeak = Math.max(...pick(floors, (one) => one.told.peak_mb));
  const disk = median(pick(candidates, (one) => one.told.disk as number)) / bytes;
  return [
    relative(name, seconds(candidates), 's', seconds(floors), median(ratios), bars.ratio, note),
    absolute(`${name}-peak`, peak, 'MB', bars.peak, `worst round, all threads; floor ${Math.round(floorPeak)} MB`),
    absolute(`${name}-disk`, disk, '×', 0.35, 'store file / native bytes'),
  ];
}

export async function importLarge(around: Surroundings): Promise<Figure[]> {
  const made = await around.large();
  return importSource(around, 'import', made.path, { ratio: 1.2, peak: 300 }, { made });
}

export async function importSecrets(around: Surroundings): Promise<Figure[]> {
  const made = await around.secrets();
  return importSource(around, 'import-secrets', made.path, { ratio: 1.2, peak: 300 }, { made });
}

/** The specification's figure: 100,000 events under one second. */
export async function importLight(around: Surroundings): Promise<Figure[]> {
  const made = await around.light();
  const [figure] = await importSource(around, 'import-light', made.path, { ratio: 1.2, peak: 300 }, { made });
  const bar = made.lines / 100_000;
  return [
    absolute(
      'import-light',
      figure?.value ?? Number.NaN,
      's',
      bar,
      `${made.lines} lines of ${Math.round(made.bytes / made.lines)} bytes; ${figure?.note}`,
    ),
  ];
}

export async function importHuge(around: Surroundings): Promise<Figure[]> {
  const path = join(around.folder, 'huge.jsonl');
  writeLargeSession((await around.large()).path, path, around.quick ? 1e8 : 1.2e9);
  return importSource({ ...around, rounds: Math.min(3, around.rounds) }, 'import-huge', path, { ratio: 1, peak: 400 });
}

export async function importLongLine(around: Surroundings): Promise<Figure[]> {
  const path = join(around.folder, 'long-line.jsonl');
  writeLongLine((await around.large()).path, path, 12_800_000);
  return importSource(around, 'import-long-line', path, { ratio: 1, peak: 400 });
}

export async function importSmall(around: Surroundings): Promise<Figure[]> {
  const sessions = around.quick ? 2000 : 20_000;
  const agentHome = around.fresh('many');
  const bytes = writeSmallSessions((await around.large()).path, agentHome, sessions);
  const home = join(around.folder, 'store');
  const floor = {
    program: 'floor-files',
    args: [join(agentHome, '.claude', 'projects'), join(around.folder, 'floor.jsonl')],
  };
  const candidate: Contestant = {
    program: 'import',
    args: [home, agentHome],
    prepare: () => around.fresh('store'),
    check: async (told) => {
      expect(told, 'sessions', sessions);
      await verify(around, home);
    },
  };
  const runs = await roundRobin(around.programs, [floor, candidate], Math.min(3, around.rounds));
  const scan = await run(around.programs, 'import', [home, agentHome]);
  expect(scan.told, 'unchanged', sessions);
  const note = `whole process; nothing had changed in ${sessions} files`;
  return [
    ...figures('import-small', runs, { ratio: 1.3, peak: 300 }, bytes),
    absolute('warm-scan', scan.wall_ms / 1000, 's', 1, note),
  ];
}
