import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, link, mkdir, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const PIECE = 256 * 1024;

/**
 * A file that is written a piece at a time under a temporary name, for its owner alone, and is put in place whole or not at
 * all. What stands in its place is never replaced.
 */
export class OutputFile {
  bytes = 0;
  readonly #path: string;
  readonly #temp: string;
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  #held = '';

  private constructor(path: string, temp: string, file: FileHandle) {
    this.#path = path;
    this.#temp = temp;
    this.#file = file;
  }

  /** @param named false: it is never put in place, and nothing of it is left even when the process is killed */
  static async create(path: string, named = true): Promise<OutputFile> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const temp = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`);
    const file = await open(temp, 'wx+', 0o600);
    // an open file without a name goes with its process; where that is not possible, `discard` removes it
    if (!named) await unlink(temp).catch(() => {});
    return new OutputFile(path, temp, file);
  }

  async write(text: string): Promise<void> {
    this.#held += text;
    if (this.#held.length >= PIECE) await this.#flush();
  }

  /** What was written, from the beginning, as it lies on the disk. */
  async *read(): AsyncGenerator<Buffer> {
    await this.#flush();
    for (let at = 0; at < this.bytes; ) {
      const { bytesRead, buffer } = await this.#file.read(Buffer.alloc(PIECE), 0, PIECE, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** Ends the file and gives it its name; false when something stands there, which stays as it is. */
  async place(): Promise<boolean> {
    await this.#flush();
    await this.#file.sync();
    try {
      return await nameOnce(this.#temp, this.#path);
    } finally {
      await this.discard();
    }
  }

  /** Takes the temporary name away. What has been put in place stays. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => {});
    await unlink(this.#temp).catch(() => {});
  }

  get sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#held);
    this.#held = '';
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.bytes + at);
      if (bytesWritten === 0) throw Object.assign(new Error('nothing was written'), { code: 'ENOSPC' });
      at += bytesWritten;
    }
    this.#hash.update(bytes);
    this.bytes += bytes.length;
  }
}

/** Disks without hard links (memory cards, some shares) say so in one of these ways. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']);

/** Gives a file its name unless that is taken. A link never replaces; where there are none, the name is taken first. */
async function nameOnce(temp: string, path: string): Promise<boolean> {
  try {
    await link(temp, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.has(code ?? '')) throw error;
  }
  const taken = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null;
    throw error;
  });
  if (taken === null) return false;
  await taken.close();
  await rename(temp, path);
  return true;
}
