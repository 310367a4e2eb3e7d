import { realpathSync } from 'node:fs';

/**
 * A folder as a program that is started in it sees it: links are followed, whatever the shell shows. One that is not there
 * stays as it is named.
 */
export function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
