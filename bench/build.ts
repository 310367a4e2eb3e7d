import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'vite';

const at = (path: string): string => resolve(import.meta.dirname, path);

/**
 * Builds the measured programs as the app itself is built: plain JavaScript in one flat folder, workers beside them. What
 * Node pays to strip types is no cost of a user.
 */
export async function buildPrograms(): Promise<string> {
  const outDir = at('../out/bench');
  const programs = readdirSync(at('programs')).filter((name) => name.endsWith('.ts'));
  const input: Record<string, string> = {
    'store-worker': at('../src/engine/store/store-worker.ts'),
    'capture-worker': at('../src/engine/capture/capture-worker.ts'),
    'compile-worker': at('../src/engine/compile/compile-worker.ts'),
    'search-worker': at('../src/engine/search/search-worker.ts'),
  };
  for (const name of programs) input[name.replace(/\.ts$/, '')] = at(`programs/${name}`);
  await build({
    configFile: false,
    logLevel: 'error',
    root: at('..'),
    ssr: { noExternal: ['zod'] },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: true,
      target: 'node24',
      minify: false,
      rollupOptions: {
        input,
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunk-[name]-[hash].js' },
      },
    },
  });
  return outDir;
}
