// npm run check: types, lint and format, boundaries, unused code, generated files. Says every failure, not only the first.
import { join } from 'node:path';
import { ensureInstalled, root, run, say } from './bootstrap.mjs';

ensureInstalled();
const tool = (path) => join(root, 'node_modules', path);
const steps = [
  ['types', [tool('typescript-native/bin/tsc'), '--noEmit', '-p', '.']],
  ['lint and format', [tool('@biomejs/biome/bin/biome'), 'check', '.']],
  [
    'boundaries',
    [
      tool('dependency-cruiser/bin/dependency-cruise.mjs'),
      '--config',
      '.dependency-cruiser.cjs',
      'src',
      'adapters',
      'bench',
      'e2e',
      'scripts',
    ],
  ],
  ['unused code', [tool('knip/bin/knip.js')]],
  ['generated schema', [join('scripts', 'schema.ts'), '--check']],
  ['public types of the SDK', [join('scripts', 'api-report.ts'), '--check']],
];
const failed = [];
for (const [name, args] of steps) {
  const code = await run(args);
  say(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}`);
  if (code !== 0) failed.push(name);
}
if (failed.length > 0) say(`check failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
