// npm test: installs when needed, then unit, integration and browser tests, and one closing line over all of them.
// npm test -- <words>: only test files whose path holds one of the words.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root, run, say } from './bootstrap.mjs';
import { findChromium } from './chromium.mjs';

const words = process.argv.slice(2);
ensureInstalled();
ensureBuilt();

const reports = mkdtempSync(join(tmpdir(), 'sessionctl-test-'));
const sum = { passed: 0, failed: 0, skipped: 0 };
try {
  await units();
  await browser();
} finally {
  rmSync(reports, { recursive: true, force: true });
}
const skipped = sum.skipped > 0 ? `, ${sum.skipped} skipped` : '';
process.stdout.write(`\n${sum.passed} passed, ${sum.failed} failed${skipped}\n`);
process.exitCode = sum.failed > 0 || sum.passed === 0 ? 1 : 0;

async function units() {
  const file = join(reports, 'unit.json');
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const code = await run([
    vitest,
    'run',
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${file}`,
    '--passWithNoTests',
    ...words,
  ]);
  if (!existsSync(file)) return count({ failed: 1 }, 'The unit tests did not finish');
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const failed =
    report.numFailedTests +
    (report.testResults ?? []).filter((r) => r.status === 'failed' && r.assertionResults.length === 0).length;
  count({ passed: report.numPassedTests, failed, skipped: report.numPendingTests + report.numTodoTests });
  if (code !== 0 && failed === 0) count({ failed: 1 }, 'The unit tests ended with an error outside of any test');
}

async function browser() {
  const chromium = findChromium();
  if (chromium === null) {
    return count(
      { failed: 1 },
      'No Chromium was found, so the browser tests did not run. Install it (Debian: apt-get install chromium; elsewhere: npx playwright install chromium) or set SESSIONCTL_CHROMIUM to its path.',
    );
  }
  const file = join(reports, 'browser.json');
  const cli = join(root, 'node_modules', '@playwright', 'test', 'cli.js');
  const env = { SESSIONCTL_CHROMIUM: chromium, PLAYWRIGHT_JSON_OUTPUT_FILE: file };
  const code = await run([cli, 'test', '--reporter=line,json', '--pass-with-no-tests', ...words], env);
  if (!existsSync(file)) return count({ failed: 1 }, 'The browser tests did not finish');
  const { stats } = JSON.parse(readFileSync(file, 'utf8'));
  count({ passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped });
  if (code !== 0 && stats.unexpected === 0)
    count({ failed: 1 }, 'The browser tests ended with an error outside of any test');
}

function count(part, why) {
  for (const key of Object.keys(sum)) sum[key] += part[key] ?? 0;
  if (why) say(why);
}
