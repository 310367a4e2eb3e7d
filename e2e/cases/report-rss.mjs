// Preloaded into the CLI by the case runner: writes the process's peak memory (KiB) to file descriptor 3 at exit.
import { writeSync } from 'node:fs';

process.on('exit', () => {
  try {
    writeSync(3, String(process.resourceUsage().maxRSS));
  } catch {
    // the runner is gone
  }
});
