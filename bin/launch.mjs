// Becomes the CLI. In a checkout it first installs and builds what is needed, saying so on stderr alone.
import { existsSync, realpathSync } from 'node:fs';
import * as module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled, projectNode, root, run, stop } from '../scripts/bootstrap.mjs';

const cli = join(root, 'out', 'main', 'cli.js');
// a package has no lock file: npm has installed what it needs, and it was built when it was packed
const isPackage = !existsSync(join(root, 'package-lock.json'));
if (isPackage) needsNode();
else {
  ensureInstalled();
  ensureBuilt();
}
if (isPackage || realpathSync(process.execPath) === realpathSync(projectNode)) {
  process.argv[1] = cli;
  if (!isPackage) module.enableCompileCache?.(join(root, 'node_modules', '.cache', 'sessionctl'));
  await import(pathToFileURL(cli).href);
} else {
  // the caller's own folder and environment: agents are started with them
  process.exitCode = await run([cli, ...process.argv.slice(2)], {}, { cwd: process.cwd(), env: process.env });
}

/** The store is compressed with zstd, which Node has since 22.15. */
function needsNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 15)) return;
  stop(`Node 22.15 or newer is needed; this is ${process.version}.`);
}
