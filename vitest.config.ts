import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// the engine's workers run from source, and many tests start them: what was stripped and compiled once is kept
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.cache', 'compile');

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'src/**/*.test.tsx',
      'adapters/**/*.test.ts',
      'scripts/**/*.test.ts',
      'bench/**/*.test.ts',
      'e2e/agents/**/*.test.ts',
    ],
    environment: 'node',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
