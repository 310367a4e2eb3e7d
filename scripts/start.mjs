// npm start: installs and builds when needed, then opens the app in Electron, or as a web app where Electron cannot run.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, projectEnv, projectNode, root, run, say } from './bootstrap.mjs';
import { endWithParent } from './end-with-parent.mjs';

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) {
  process.stdout.write(`npm start -- [options]

  --web           serve the app on 127.0.0.1 instead of opening Electron
  --sample        start on sample sessions in a temporary home; your own files are not looked at
  --port <n>      port of the web app (default: a free one)
  --help          this text
`);
  process.exit(0);
}

if (process.env.npm_lifecycle_event !== undefined) endWithParent();
ensureInstalled();
ensureBuilt();

const electron = args.includes('--web') ? { why: null } : findElectron();
if (electron.path) {
  process.exitCode = await run([join(root, 'node_modules', 'electron', 'cli.js'), root, ...args]);
} else {
  if (electron.why) say(`Starting as a web app: ${electron.why}.`);
  process.exitCode = await run([join(root, 'out', 'main', 'web.js'), ...args.filter((arg) => arg !== '--web')]);
}

/** Electron's binary is fetched at its first use; a machine without a display or without the binary gets the web app. */
function findElectron() {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY)
    return { why: 'there is no display' };
  const folder = join(root, 'node_modules', 'electron');
  const name =
    { win32: 'electron.exe', darwin: 'Electron.app/Contents/MacOS/Electron' }[process.platform] ?? 'electron';
  const binary = join(process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(folder, 'dist'), name);
  if (!existsSync(binary)) {
    say("Fetching Electron's binary …");
    spawnSync(projectNode, [join(folder, 'install.js')], { stdio: 'ignore', timeout: 180_000, env: projectEnv() });
  }
  return existsSync(binary) ? { path: binary } : { why: "Electron's binary is not here and could not be fetched" };
}
