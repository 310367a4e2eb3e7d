// npm run properties -- [paths]: the properties of the adapters with 10,000 random runs each. About 2.5 hours of
// CPU, on two cores at a time; for the night.
import { ensureInstalled, run } from './bootstrap.mjs';

ensureInstalled();
process.env.PROPERTY_RUNS ??= '10000';
const asked = process.argv.slice(2);
const paths = asked.length > 0 ? asked : ['adapters'];
process.exitCode = await run([
  'node_modules/vitest/vitest.mjs',
  'run',
  ...paths,
  '--testTimeout=14400000',
  '--hookTimeout=600000',
]);
