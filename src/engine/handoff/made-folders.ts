import { rmdir, stat } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { fileOf } from '../../../adapters/io/database-path.ts';

/** The nearest folder above a path that exists already: what is below it, a handoff makes. */
export async function standingFolder(path: string): Promise<string> {
  for (let folder = dirname(fileOf(path)); ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => null);
    if (found?.isDirectory() || folder === dirname(folder)) return folder;
  }
}

/** Removes the folders that a handoff made for a file, as far as they are empty: from the file up to the one that stood before. */
export async function removeMadeFolders(path: string, stood: string | undefined): Promise<void> {
  if (stood === undefined) return;
  const base = stood.endsWith(sep) ? stood : stood + sep;
  for (let folder = dirname(fileOf(path)); folder.startsWith(base); folder = dirname(folder)) {
    try {
      await rmdir(folder);
    } catch (error) {
      // gone already, by the adapter; anything else is not empty, or not ours to remove
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
    }
  }
}
