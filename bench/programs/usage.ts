import { readFileSync } from 'node:fs';

/** Ends a program's output with one JSON line: what it found out, its CPU time and its peak memory, all threads together. */
export function tellUsage(facts: Record<string, unknown>): void {
  const { user, system } = process.cpuUsage();
  const usage = { cpu_ms: (user + system) / 1000, peak_mb: peak() };
  process.stdout.write(`${JSON.stringify({ ...usage, ...facts })}\n`);
}

/** Linux gives a new program the largest size that its starter had as `maxRSS`; its own is in its status. */
function peak(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS / 1024;
  const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? [];
  return Number(kilobytes) / 1024;
}
