import { join } from 'node:path';
import { type Contestant, median, roundRobin, run } from '../measure.ts';
import { absolute, type Figure, relative } from '../report.ts';
import type { Surroundings } from '../surroundings.ts';

/** Native file in, native file of another agent out, redacted and read back; and the whole handoff of what is in the store. */
export async function convert(around: Surroundings): Promise<Figure[]> {
  const { path, lines } = await around.large();
  const floor: Contestant = { program: 'floor-stream', args: [path, join(around.folder, 'floor.jsonl')] };
  const candidate: Contestant = {
    program: 'convert',
    args: [join(around.folder, 'store'), join(around.folder, 'agents'), path],
    prepare: () => {
      around.fresh('store');
      around.fresh('agents');
    },
    check: async ({ items, events }) => {
      if (!(Number(items) > 0.4 * Number(events)))
        throw new Error(`only ${items} items of ${events} events were read back`);
    },
  };
  const [floors = [], runs = []] = await roundRobin(around.programs, [floor, candidate], around.rounds);
  const seconds = (of: typeof runs) => median(of.map((one) => one.wall_ms / 1000));
  const ratios = runs.map((one, i) => one.wall_ms / (floors[i]?.wall_ms ?? Number.NaN));
  const cpu = (of: typeof runs) => Math.round(median(of.map((one) => one.told.cpu_ms)));
  const spread = `ratios ${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}`;
  const note = `Claude to Codex, ${lines} lines; ${spread}; CPU ${cpu(runs)} ms, floor ${cpu(floors)} ms`;
  const peak = Math.max(...runs.map((one) => one.told.peak_mb));
  return [
    relative('convert', seconds(runs), 's', seconds(floors), median(ratios), 1.8, note),
    absolute('convert-peak', peak, 'MB', 300, 'worst round, all threads'),
    ...(await handoff(around, path)),
  ];
}

/** From the button to the receipt: measuring for the budget, writing, checking and registering. Shown only. */
async function handoff(around: Surroundings, path: string): Promise<Figure[]> {
  const { told } = await run(around.programs, 'handoff', [around.fresh('engine'), around.fresh('agents'), path]);
  if (!(Number(told.bytes) > 0)) throw new Error('nothing was handed off');
  const steps = Object.entries(told.steps as Record<string, number>).map(([step, ms]) => `${step} ${ms}`);
  const note = `one run after the import, CPU ${told.handoff_cpu_ms} ms; ms by step: ${steps.join(', ')}`;
  return [absolute('handoff', Number(told.handoff_ms) / 1000, 's', null, note)];
}
