// npm run cases -- [DIR …] [--only WORD] [--keep]: runs every case folder in DIR (default: fixtures/cases), a line a case.
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runCase } from './run-case.ts';

const args = process.argv.slice(2);
const only = args.includes('--only') ? args[args.indexOf('--only') + 1] : undefined;
const folders = args.filter((arg, at) => !arg.startsWith('--') && args[at - 1] !== '--only');
const roots =
  folders.length > 0
    ? folders.map((folder) => resolve(folder))
    : [join(import.meta.dirname, '..', '..', 'fixtures', 'cases')];

const cases = roots
  .flatMap((root) =>
    readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [join(root, entry.name)] : [],
    ),
  )
  .filter((folder) => only === undefined || folder.includes(only))
  .sort();
let passed = 0;
let failed = 0;
let foreign = 0;

async function worker(): Promise<void> {
  for (let folder = cases.shift(); folder !== undefined; folder = cases.shift()) {
    const result = await runCase(folder, args.includes('--keep'));
    if (result === null) {
      foreign++;
      continue;
    }
    const { name, problems, notYet, seconds } = result;
    const note = notYet.length > 0 ? `  (not written here: ${notYet.join(', ')})` : '';
    console.log(`${problems.length === 0 ? 'pass' : 'FAIL'}  ${name}  ${seconds.toFixed(1)} s${note}`);
    for (const problem of problems) console.log(`        ${problem}`);
    if (problems.length === 0) passed++;
    else failed++;
  }
}

await Promise.all([worker(), worker()]);
if (foreign > 0) console.log(`${foreign} cases are about agents that have no adapter yet and were not run`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
