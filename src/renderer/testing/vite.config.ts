import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Serves the renderer on the fake engine: `vite -c src/renderer/testing/vite.config.ts`, then open /testing/. */
// biome-ignore lint/style/noDefaultExport: vite asks for one
export default defineConfig({
  root: `${import.meta.dirname}/..`,
  plugins: [react(), tailwindcss()],
  build: {
    outDir: process.env.OUT_DIR ?? `${import.meta.dirname}/../../../out/testing`,
    emptyOutDir: true,
    // the CSP lets no data: font through
    assetsInlineLimit: 0,
    rollupOptions: { input: `${import.meta.dirname}/index.html` },
  },
  server: { host: '127.0.0.1', port: 5199, strictPort: true },
});
