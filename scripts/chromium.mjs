// Finds a Chromium for the browser tests: the environment's, the system's, then Playwright's own.
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome.exe', 'msedge.exe'];
const FIXED = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Path of a Chromium, or null. */
export function findChromium(env = process.env) {
  if (env.SESSIONCTL_CHROMIUM) return existsSync(env.SESSIONCTL_CHROMIUM) ? env.SESSIONCTL_CHROMIUM : null;
  const system = (env.PATH ?? '').split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...system, ...FIXED, ...playwrights(env)].find((path) => existsSync(path)) ?? null;
}

function playwrights(env) {
  const cache =
    env.PLAYWRIGHT_BROWSERS_PATH ??
    join(
      homedir(),
      { darwin: 'Library/Caches', win32: 'AppData/Local' }[process.platform] ?? '.cache',
      'ms-playwright',
    );
  if (!existsSync(cache)) return [];
  const builds = readdirSync(cache)
    .filter((name) => /^chromium-\d+$/.test(name))
    .sort()
    .reverse();
  const inner = [
    'chrome-linux/chrome',
    'chrome-linux64/chrome',
    'chrome-mac/Chromium.app/Contents/MacOS/Chromium',
    'chrome-win/chrome.exe',
    'chrome-win64/chrome.exe',
  ];
  return builds.flatMap((build) => inner.map((name) => join(cache, build, name)));
}
