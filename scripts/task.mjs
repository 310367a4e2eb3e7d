// Runs one of the project's TypeScript programs on the project's own Node: node scripts/task.mjs <file.ts> [args]
import { ensureBuilt, ensureInstalled, run } from './bootstrap.mjs';

ensureInstalled();
ensureBuilt();
process.exitCode = await run(process.argv.slice(2));
