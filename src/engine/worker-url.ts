/**
 * Where a worker's entry lies. From sources Node runs the `.ts` file itself; in the build every entry is a `.js` file in
 * one flat folder (electron.vite.config.ts), so that chunks and workers find each other by name.
 *
 * @param from `import.meta.url` of the caller
 * @param source path of the worker's source, relative to the caller, e.g. `./store-worker.ts`
 */
export function workerUrl(from: string, source: string): URL {
  if (from.endsWith('.ts')) return new URL(source, from);
  const name = source.slice(source.lastIndexOf('/') + 1).replace(/\.ts$/, '.js');
  return new URL(`./${name}`, from);
}
