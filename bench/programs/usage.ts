/** Ends a program's output with one JSON line: what it found out, its CPU time and its peak memory, all threads together. */
export function tellUsage(facts: Record<string, unknown>): void {
  const { user, system } = process.cpuUsage();
  const usage = { cpu_ms: (user + system) / 1000, peak_mb: process.resourceUsage().maxRSS / 1024 };
  process.stdout.write(`${JSON.stringify({ ...usage, ...facts })}\n`);
}
