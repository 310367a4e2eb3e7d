import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeClaudeSession } from '../generate/claude-session.ts';
import { randomOf } from '../generate/random.ts';
import { richWords } from '../generate/rich-words.ts';
import { quantile, run } from '../measure.ts';
import { absolute, type Figure } from '../report.ts';
import type { Surroundings } from '../surroundings.ts';

/** Lines of one session; 700,000 lines give about a million events. */
const LINES = 2500;
const SESSIONS = 280;
const QUERIES = 310;

/** Search in a million events: the index is made after the import, then asked. */
export async function search(around: Surroundings): Promise<Figure[]> {
  const agentHome = around.fresh('search-home');
  const native = await writeSessions(agentHome, around.quick ? SESSIONS / 10 : SESSIONS);
  const home = around.fresh('search-store');
  await run(around.programs, 'import', [home, agentHome]);
  const { told } = await run(around.programs, 'search', [home, agentHome, String(QUERIES)]);
  if (told.complete !== true) throw new Error('the index was not completed');
  const times = told.times as number[];
  const cpu = told.cpu_times as number[];
  const { events, index_s, index_cpu_s, before, after, found } = told as Record<string, number>;
  const each = (seconds = Number.NaN) => (seconds * 1e6) / (events as number);
  const p95 = `p95 of ${times.length} queries in ${events} events, first 60 hits with their texts; ${Math.round((found ?? 0) * 100)} % found something; p50 ${quantile(times, 0.5).toFixed(1)} ms, slowest ${Math.max(...times).toFixed(0)} ms; CPU p50 ${quantile(cpu, 0.5).toFixed(1)}, p95 ${quantile(cpu, 0.95).toFixed(1)} ms; peak ${Math.round(told.peak_mb)} MB`;
  const size = `index ${((((after as number) - (before as number)) / native) * 100).toFixed(1)} % of the native bytes; with it the store has ${((after as number) / native).toFixed(3)} of them`;
  return [
    absolute('search', quantile(times, 0.95), 'ms', 150, p95),
    absolute(
      'search-index',
      index_s as number,
      's',
      null,
      `${each(index_s).toFixed(1)} us an event, CPU ${each(index_cpu_s).toFixed(1)} us; after the import, no part of it`,
    ),
    absolute('search-index-disk', ((after as number) - (before as number)) / native, '×', null, size),
  ];
}

/** Many sessions of Claude Code with words of their own; returns their bytes. */
async function writeSessions(home: string, sessions: number): Promise<number> {
  const random = randomOf(3);
  let bytes = 0;
  for (let i = 0; i < sessions; i++) {
    const folder = join(home, '.claude', 'projects', `-home-dev-p${i % 40}`);
    mkdirSync(folder, { recursive: true });
    const id = random.uuid();
    const made = await writeClaudeSession(join(folder, `${id}.jsonl`), {
      lines: LINES,
      seed: 100 + i,
      id,
      alter: richWords,
    });
    bytes += made.bytes;
  }
  return bytes;
}
