/** What people paste below a request. */
export const LOG = [
  '2026-03-02T10:11:12Z INFO  runner: starting job',
  '2026-03-02T10:11:14Z WARN  cache: miss for lockfile',
  ...Array.from({ length: 24 }, (_, at) => `    at step${at} (node:internal/process/task_queues:${95 + at}:5)`),
  '2026-03-02T10:11:31Z ERROR runner: process exited',
].join('\n');
