import { writeSmallSessions } from '../generate/files.ts';
import { median, run, type Told } from '../measure.ts';
import { absolute, type Figure } from '../report.ts';
import type { Surroundings } from '../surroundings.ts';

/** From the start of a process to the first page of a list of many sessions, and paging and searching in it. */
export async function list(around: Surroundings): Promise<Figure[]> {
  const sessions = around.quick ? 2000 : 20_000;
  const agentHome = around.fresh('many');
  writeSmallSessions((await around.large()).path, agentHome, sessions);
  const home = around.fresh('store');
  await run(around.programs, 'import', [home, agentHome]);
  const told: Told[] = [];
  for (let round = 0; round < around.rounds; round++) told.push((await run(around.programs, 'list', [home])).told);
  const figure = (name: string, key: string, bar: number, what: string) => {
    const times = told.map((one) => one[key] as number);
    return absolute(
      name,
      median(times),
      'ms',
      bar,
      `${what}, ${sessions} sessions; median of ${times.length}, worst ${Math.max(...times).toFixed(0)}`,
    );
  };
  return [
    figure('cold-start-list', 'ready', 1500, 'start of the process until 200 rows are there'),
    figure('list-page', 'page', 100, '200 rows in the middle'),
    figure('list-search', 'search', 100, 'two words over titles, prompts and paths'),
  ];
}
