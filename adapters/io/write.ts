import { createHash, type Hash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type AppError, AppFailure, fail, ok, type Result } from '../../src/shared/errors.ts';
import { errnoOf } from './source-error.ts';

/** The file-system calls that writing needs, so that tests can make them fail. */
export type WriteFs = Pick<typeof fs, 'open' | 'link' | 'rename' | 'unlink' | 'rmdir' | 'mkdir' | 'lstat'>;

export interface PrivateFileOptions {
  fs?: WriteFs;
  /** bytes gathered before they are written; default 256 KB */
  bufferBytes?: number;
}

/** A finished file, still under its temporary name. */
export interface SealedFile {
  temp: string;
  final: string;
  bytes: number;
  sha256: string;
}

const BUFFER = 256 * 1024;
/** Beyond the limit, so that nearly every line that is put below it fits. */
const SLACK = 64 * 1024;
/** A UTF-16 unit takes three bytes at most. */
const WIDEST = 3;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * Starts a new private file that appears under its final name only when it is complete. Folders that are missing are made
 * (0700), the temporary file lies beside the final one (0600 from the first moment). Nothing that exists is touched.
 * Errors: `target_exists`, `write_failed`.
 */
export async function createPrivateFile(final: string, options: PrivateFileOptions = {}): Promise<Result<PrivateFile>> {
  const io = options.fs ?? fs;
  if (await exists(io, final)) return { ok: false, error: alreadyThere(final) };
  const made: string[] = [];
  try {
    await makeFolders(io, dirname(final), made);
    const { temp, handle } = await openTemp(io, final);
    return ok(new PrivateFile(io, final, temp, handle, made, options.bufferBytes ?? BUFFER));
  } catch (thrown) {
    await removeFolders(io, made);
    return { ok: false, error: writeError(final, thrown) };
  }
}

/** A file being written. Every failure removes it; after `commit` or `abort` nothing temporary is left. */
export class PrivateFile {
  readonly final: string;
  readonly temp: string;
  private readonly io: WriteFs;
  private readonly made: readonly string[];
  private readonly limit: number;
  private readonly hash: Hash = createHash('sha256');
  private handle: fs.FileHandle | null;
  /** text is encoded into it at once, so that no line costs a buffer of its own */
  private readonly room: Buffer;
  private used = 0;
  /** what does not fit there, in front of it */
  private waiting: Uint8Array[] = [];
  private waitingBytes = 0;
  private bytes = 0;
  private sealed: SealedFile | null = null;
  private done = false;

  constructor(io: WriteFs, final: string, temp: string, handle: fs.FileHandle, made: string[], limit: number) {
    this.io = io;
    this.final = final;
    this.temp = temp;
    this.handle = handle;
    this.made = made;
    this.limit = limit;
    this.room = Buffer.allocUnsafeSlow(limit + SLACK);
  }

  /** Appends text (UTF-8) or bytes. Await it: that is the back-pressure. @throws AppFailure `write_failed` */
  async write(chunk: string | Uint8Array): Promise<void> {
    if (typeof chunk === 'string') this.put(chunk);
    else this.wait(chunk);
    if (this.isFull) await this.flush();
  }

  /** Appends text without writing it out. Once `isFull`, `flush` is due. */
  put(text: string): void {
    if (WIDEST * text.length > this.room.length - this.used) this.wait(Buffer.from(text, 'utf8'));
    else this.used += this.room.write(text, this.used);
  }

  /** So much has gathered that it is time for `flush`. */
  get isFull(): boolean {
    return this.waitingBytes + this.used >= this.limit;
  }

  private wait(data: Uint8Array): void {
    if (this.used > 0) {
      this.waiting.push(Uint8Array.prototype.slice.call(this.room, 0, this.used));
      this.waitingBytes += this.used;
      this.used = 0;
    }
    this.waiting.push(data);
    this.waitingBytes += data.byteLength;
  }

  /** Writes out and syncs everything; the temporary file can then be read back. */
  async seal(): Promise<Result<SealedFile>> {
    if (this.sealed !== null) return ok(this.sealed);
    try {
      await this.flush();
      await this.open().sync();
      await this.close();
    } catch (thrown) {
      await this.abort();
      return { ok: false, error: writeError(this.final, thrown) };
    }
    this.sealed = { temp: this.temp, final: this.final, bytes: this.bytes, sha256: this.hash.digest('hex') };
    return ok(this.sealed);
  }

  /** Gives the file its final name, unless something already has it. Errors: `target_exists`, `write_failed`. */
  async commit(): Promise<Result<SealedFile>> {
    const sealed = await this.seal();
    if (!sealed.ok) return sealed;
    if (this.done) return fail('write_failed', `${this.final} was already committed or given up.`);
    try {
      await this.rename();
      this.done = true;
      await syncFolder(this.io, dirname(this.final));
      return sealed;
    } catch (thrown) {
      await this.abort();
      if (thrown instanceof AppFailure) return { ok: false, error: thrown.error };
      return { ok: false, error: writeError(this.final, thrown) };
    }
  }

  /** Removes the temporary file and the folders made for it. Idempotent; a committed file stays. */
  async abort(): Promise<void> {
    if (this.done) return;
    this.done = true;
    this.waiting = [];
    this.used = 0;
    await this.close().catch(() => undefined);
    await this.io.unlink(this.temp).catch(() => undefined);
    await removeFolders(this.io, this.made);
  }

  private open(): fs.FileHandle {
    if (this.handle === null)
      throw new AppFailure({ code: 'write_failed', message: `${this.final} is no longer open for writing.` });
    return this.handle;
  }

  private async close(): Promise<void> {
    const handle = this.handle;
    this.handle = null;
    await handle?.close();
  }

  /** Brings all that was written so far into the temporary file, to be read there. @throws AppFailure `write_failed` */
  async flush(): Promise<void> {
    const chunks = this.waiting;
    if (this.used > 0) chunks.push(this.room.subarray(0, this.used));
    this.waiting = [];
    this.waitingBytes = 0;
    try {
      for (const chunk of chunks) await this.append(chunk);
    } catch (thrown) {
      await this.abort();
      throw thrown instanceof AppFailure ? thrown : new AppFailure(writeError(this.final, thrown));
    }
    this.used = 0;
  }

  private async append(data: Uint8Array): Promise<void> {
    for (let at = 0; at < data.byteLength; ) {
      const { bytesWritten } = await this.open().write(data, at, data.byteLength - at);
      if (bytesWritten === 0) throw Object.assign(new Error('nothing was written'), { code: 'ENOSPC' });
      at += bytesWritten;
    }
    this.hash.update(data);
    this.bytes += data.byteLength;
  }

  private async rename(): Promise<void> {
    try {
      // A hard link fails when the name is taken, a rename would replace it.
      await this.io.link(this.temp, this.final);
    } catch (thrown) {
      if (errnoOf(thrown) === 'EEXIST') throw new AppFailure(alreadyThere(this.final));
      if (await exists(this.io, this.final)) throw new AppFailure(alreadyThere(this.final));
      // No hard links on this file system.
      await this.io.rename(this.temp, this.final);
      return;
    }
    await this.io.unlink(this.temp);
  }
}

async function exists(io: WriteFs, path: string): Promise<boolean> {
  return io.lstat(path).then(
    () => true,
    (thrown: unknown) => !['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errnoOf(thrown)),
  );
}

async function openTemp(io: WriteFs, final: string): Promise<{ temp: string; handle: fs.FileHandle }> {
  for (let n = 0; ; n++) {
    const temp = join(dirname(final), `.${basename(final)}.${process.pid}-${n}.part`);
    try {
      return { temp, handle: await openPrivate(io, temp) };
    } catch (thrown) {
      if (errnoOf(thrown) !== 'EEXIST' || n >= 100) throw thrown;
    }
  }
}

/** The mode given to open is narrowed by the umask, so it is set again. */
async function openPrivate(io: WriteFs, path: string): Promise<fs.FileHandle> {
  const handle = await io.open(path, 'wx', FILE_MODE);
  try {
    await handle.chmod(FILE_MODE);
    return handle;
  } catch (thrown) {
    await handle.close().catch(() => undefined);
    await io.unlink(path).catch(() => undefined);
    throw thrown;
  }
}

/** Makes a folder and its missing parents, noting each one made, outermost first. */
async function makeFolders(io: WriteFs, folder: string, made: string[]): Promise<void> {
  try {
    await io.mkdir(folder, { mode: FOLDER_MODE });
    made.push(folder);
  } catch (thrown) {
    const errno = errnoOf(thrown);
    if (errno === 'EEXIST') return;
    if (errno !== 'ENOENT' || dirname(folder) === folder) throw thrown;
    await makeFolders(io, dirname(folder), made);
    // still not possible where the parent is a link to nothing
    await io.mkdir(folder, { mode: FOLDER_MODE }).then(
      () => made.push(folder),
      (again: unknown) => (errnoOf(again) === 'EEXIST' ? undefined : Promise.reject(again)),
    );
  }
}

async function removeFolders(io: WriteFs, made: readonly string[]): Promise<void> {
  for (const folder of made.toReversed()) await io.rmdir(folder).catch(() => undefined);
}

/** Makes the new name durable. Systems that cannot open folders (Windows) do without. */
async function syncFolder(io: WriteFs, folder: string): Promise<void> {
  const handle = await io.open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

function alreadyThere(path: string): AppError {
  return {
    code: 'target_exists',
    message: `${path} already exists. It was not touched; choose another id or remove it yourself.`,
    details: { path },
  };
}

const ADVICE: Record<string, string> = {
  ENOSPC: 'The disk is full. Free some space and try again.',
  EDQUOT: 'Your disk quota is used up. Free some space and try again.',
  EACCES: 'You have no permission to write there. Check the owner and mode of the folder.',
  EPERM: 'You have no permission to write there. Check the owner and mode of the folder.',
  EROFS: 'The file system is read-only.',
  ENAMETOOLONG: 'The name is too long for this file system. Choose a folder with a shorter path (--cwd).',
};

function writeError(path: string, thrown: unknown): AppError {
  if (thrown instanceof AppFailure) return thrown.error;
  const errno = errnoOf(thrown);
  const advice = ADVICE[errno] ?? `The system said ${errno}.`;
  return {
    code: 'write_failed',
    message: `Cannot write ${path}. ${advice} Nothing was left behind.`,
    details: { path, errno },
  };
}
