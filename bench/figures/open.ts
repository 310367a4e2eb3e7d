import { join } from 'node:path';
import { writeClaudeSession } from '../generate/claude-session.ts';
import { quantile, run } from '../measure.ts';
import { absolute, type Figure } from '../report.ts';
import type { Surroundings } from '../surroundings.ts';

/** The engine's part of opening a session of 47,000 events: one call, up to the rows of the first page. */
export async function open(around: Surroundings): Promise<Figure[]> {
  const path = join(around.folder, 'open.jsonl');
  const { lines } = await writeClaudeSession(path, { lines: 32_500, seed: 7 });
  const { told } = await run(around.programs, 'open', [around.fresh('engine'), around.folder, path]);
  if (told.rows === 0) throw new Error('no rows were opened');
  const [first = Number.NaN, ...others] = told.times as number[];
  const note = `p95 of ${others.length} calls, the first ${first.toFixed(0)} ms; ${lines} lines; one call of three`;
  return [absolute('open-session', quantile(others, 0.95), 'ms', 150, note)];
}
