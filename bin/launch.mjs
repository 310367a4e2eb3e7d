// Installs and builds when needed, saying so on stderr alone, then becomes the CLI.
import { realpathSync } from 'node:fs';
import * as module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled, projectNode, root, run } from '../scripts/bootstrap.mjs';

ensureInstalled();
ensureBuilt();
const cli = join(root, 'out', 'main', 'cli.js');
if (realpathSync(process.execPath) === realpathSync(projectNode)) {
  process.argv[1] = cli;
  module.enableCompileCache?.(join(root, 'node_modules', '.cache', 'sessionctl'));
  await import(pathToFileURL(cli).href);
} else {
  // the caller's own folder and environment: agents are started with them
  process.exitCode = await run([cli, ...process.argv.slice(2)], {}, { cwd: process.cwd(), env: process.env });
}
