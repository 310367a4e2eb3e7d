// npm passes a signal to the shell that it started, and a shell does not pass it on: what runs below it would stay.

/** Once whoever started this process is gone, it gets SIGTERM, as if it had been meant. Windows keeps no track of parents. */
export function endWithParent(everyMs = 500) {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, everyMs).unref();
}
