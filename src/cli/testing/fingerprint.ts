import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Everything below a folder that an intruder would change: names, kinds, modes, bytes, and the times of content and of inode.
 * Nobody can set the latter back; a file that was made and removed again shows in the times of its folder.
 */
export async function fingerprint(folder: string): Promise<Map<string, string>> {
  const marks = new Map<string, string>();
  const look = async (path: string): Promise<void> => {
    const info = await lstat(path, { bigint: true });
    const content = info.isFile()
      ? createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
      : '';
    marks.set(
      path,
      [info.ino, info.mode, info.uid, info.nlink, info.size, info.mtimeNs, info.ctimeNs, content].join(' '),
    );
  };
  await look(folder);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await look(join(entry.parentPath, entry.name));
  return marks;
}
