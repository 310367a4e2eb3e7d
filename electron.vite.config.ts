import { resolve } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

const at = (path: string): string => resolve(import.meta.dirname, path);

export default defineConfig({
  // One flat folder, so that workers and chunks find each other by name (src/engine/worker-url.ts).
  main: {
    build: {
      outDir: at('out/main'),
      target: 'node24',
      rollupOptions: {
        input: {
          electron: at('src/main/electron/main.ts'),
          web: at('src/main/web/main.ts'),
          cli: at('src/cli/main.ts'),
          sdk: at('src/sdk/sdk.ts'),
          'store-worker': at('src/engine/store/store-worker.ts'),
          'capture-worker': at('src/engine/capture/capture-worker.ts'),
          'compile-worker': at('src/engine/compile/compile-worker.ts'),
          'search-worker': at('src/engine/search/search-worker.ts'),
          'keychain-child': at('src/engine/keys/keychain-child.ts'),
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunk-[name]-[hash].js' },
      },
    },
  },
  // A sandboxed preload must be CommonJS.
  preload: {
    build: {
      outDir: at('out/preload'),
      externalizeDeps: false,
      rollupOptions: {
        input: { preload: at('src/preload/preload.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: at('src/renderer'),
    plugins: [react(), tailwindcss()],
    build: {
      outDir: at('out/renderer'),
      emptyOutDir: true,
      // the page's CSP lets no data: font through
      assetsInlineLimit: 0,
      rollupOptions: { input: at('src/renderer/index.html') },
    },
  },
});
