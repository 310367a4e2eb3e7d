import { join } from 'node:path';
import type { AgentId } from '../../src/shared/agents.ts';
import { writeOpenCode } from '../generate/databases.ts';
import { type Contestant, median, roundRobin, run } from '../measure.ts';
import { absolute, type Figure, relative } from '../report.ts';
import type { Surroundings } from '../surroundings.ts';
import { nativeOf } from './agents.ts';

interface Pair {
  from: string;
  path: string;
  to: AgentId;
  rounds: number;
}

/** Native file in, native file of another agent out, redacted and read back; and the whole handoff of what is in the store. */
export async function convert(around: Surroundings): Promise<Figure[]> {
  const { path } = await around.large();
  const figures = await convertPair(around, 'convert', { from: 'claude', path, to: 'codex', rounds: around.rounds });
  return [...figures, ...(await handoff(around, path))];
}

/** The other agents, each from Claude Code, and from Codex to Claude Code. */
export async function convertAgents(around: Surroundings): Promise<Figure[]> {
  const { path } = await around.large();
  const codex = await nativeOf(around, 'codex');
  const rounds = Math.min(3, around.rounds);
  const pairs: Pair[] = [{ from: 'codex', path: codex.path, to: 'claude', rounds }];
  for (const to of ['pi', 'hermes', 'opencode', 'gemini'] as const) pairs.push({ from: 'claude', path, to, rounds });
  const figures: Figure[] = [];
  for (const pair of pairs) figures.push(...(await convertPair(around, `convert-${pair.from}-${pair.to}`, pair)));
  return figures;
}

async function convertPair(around: Surroundings, name: string, { from, path, to, rounds }: Pair): Promise<Figure[]> {
  const floor: Contestant = { program: 'floor-stream', args: [path, join(around.folder, 'floor.jsonl')] };
  const candidate: Contestant = {
    program: 'convert',
    args: [join(around.folder, 'store'), join(around.folder, 'agents'), path, to],
    prepare: async () => {
      around.fresh('store');
      const home = around.fresh('agents');
      // its database is made by OpenCode alone
      if (to === 'opencode') await writeOpenCode(home, 0);
    },
    check: async ({ items, events }) => {
      if (!(Number(items) > 0.25 * Number(events)))
        throw new Error(`only ${items} items of ${events} events were read back`);
    },
  };
  const [floors = [], runs = []] = await roundRobin(around.programs, [floor, candidate], rounds);
  const seconds = (of: typeof runs) => median(of.map((one) => one.wall_ms / 1000));
  const ratios = runs.map((one, i) => one.wall_ms / (floors[i]?.wall_ms ?? Number.NaN));
  const cpu = (of: typeof runs) => Math.round(median(of.map((one) => one.told.cpu_ms)));
  const spread = `ratios ${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}`;
  const note = `${from} to ${to}; ${spread}; CPU ${cpu(runs)} ms, floor ${cpu(floors)} ms (${(cpu(runs) / cpu(floors)).toFixed(2)} ×)`;
  const peak = Math.max(...runs.map((one) => one.told.peak_mb));
  return [
    relative(name, seconds(runs), 's', seconds(floors), median(ratios), 1.8, note),
    absolute(`${name}-peak`, peak, 'MB', 300, 'worst round, all threads'),
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
