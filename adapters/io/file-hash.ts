import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppFailure } from '../../src/shared/errors.ts';

/**
 * SHA-256 (hex) of a file, or of its first `bytes`; null = there is no such file. Streams.
 * @throws AppFailure `target_exists` when a folder, a pipe or the like stands there
 */
export async function fileSha256(path: string, bytes = Number.POSITIVE_INFINITY): Promise<string | null> {
  const hash = createHash('sha256');
  if (bytes === 0) return hash.digest('hex');
  try {
    if (!(await stat(path)).isFile())
      throw new AppFailure({
        code: 'target_exists',
        message: `${path} is there and is no file. It was not touched; move it away and try again.`,
        details: { path },
      });
    for await (const chunk of createReadStream(path, { end: bytes - 1 })) hash.update(chunk as Buffer);
    return hash.digest('hex');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENAMETOOLONG'))
      return null;
    throw error;
  }
}

/** The last bytes of a file, at most `max`, and where they begin. */
export async function fileTail(path: string, max: number): Promise<{ start: number; bytes: Buffer }> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - max);
    const bytes = Buffer.alloc(size - start);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
    return { start, bytes: bytes.subarray(0, bytesRead) };
  } finally {
    await handle.close();
  }
}

/** Removes what a killed run of the same handoff has left beside its final file. */
export async function removeLeftovers(final: string): Promise<void> {
  const folder = dirname(final);
  const name = `.${basename(final)}.`;
  for (const entry of await readdir(folder).catch(() => [])) {
    if (entry.startsWith(name) && entry.endsWith('.part')) await unlink(join(folder, entry)).catch(() => undefined);
  }
}
