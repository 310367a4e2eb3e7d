import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { median, quantile, run } from '../measure.ts';
import { absolute, type Figure } from '../report.ts';
import type { Surroundings } from '../surroundings.ts';

/** Reading a page, appending, and the time from a line in the agent's file to the event in the store. */
export async function live(around: Surroundings): Promise<Figure[]> {
  const { path, lines } = await around.large();
  const agentHome = around.fresh('live');
  const folder = join(agentHome, '.claude', 'projects', '-home-dev-repo');
  mkdirSync(folder, { recursive: true });
  const session = join(folder, '00000000-0000-4000-8000-000000000000.jsonl');
  copyFileSync(path, session);
  const home = around.fresh('store');
  await run(around.programs, 'import', [home, agentHome]);
  const rounds = around.quick ? 60 : 300;
  const { told } = await run(around.programs, 'live', [home, agentHome, session, String(rounds)]);
  const figure = (name: string, key: string, bar: number, what: string) => {
    const times = told[key] as number[];
    const note = `${what}; p50 ${median(times).toFixed(2)}, worst ${Math.max(...times).toFixed(1)} of ${times.length}, a session of ${lines} lines`;
    return absolute(name, quantile(times, 0.95), 'ms', bar, note);
  };
  return [
    figure('page-p95', 'page', 5, 'p95, 200 events anywhere, asked and parsed across threads'),
    figure('append-p95', 'decide', 2, 'p95, one event as a decision (fsync), across threads'),
    figure('append-10000-p95', 'batches', 100, 'p95, 10,000 events in one decision, the first three left out'),
    figure('watch-p95', 'watch', 100, 'p95, a line appended to the file until its event can be read'),
  ];
}
