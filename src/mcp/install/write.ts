import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readFile, realpath, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fail, ok, type Result } from '../../shared/errors.ts';

/** A change of one file: its text now and then; null = no file. */
export interface Change {
  file: string;
  before: string | null;
  after: string | null;
}

const LARGEST = 64 * 1024 * 1024;

/**
 * The file that a path means, links followed, and its text as it is; null when there is none. Errors: source_unreadable;
 * invalid_request when it is no text.
 */
export async function readConfig(path: string): Promise<Result<{ file: string; text: string | null }>> {
  try {
    const file = await realpath(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (file === null) return (await isLink(path)) ? dangling(path) : ok({ file: path, text: null });
    const info = await stat(file);
    if (!info.isFile() || info.size > LARGEST)
      return fail('source_unreadable', `${path} is no configuration file.`, { path });
    const bytes = await readFile(file);
    const text = bytes.toString('utf8');
    if (!Buffer.from(text, 'utf8').equals(bytes)) return fail('invalid_request', `${path} is not UTF-8.`, { path });
    return ok({ file, text });
  } catch (error) {
    return fail('source_unreadable', `${path} cannot be read: ${(error as Error).message}`, { path });
  }
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (info) => info.isSymbolicLink(),
    () => false,
  );
}

const dangling = (path: string): Result<never> =>
  fail('source_unreadable', `${path} is a link to a file that is not there. Make that file, or remove the link.`, {
    path,
  });

/**
 * Does a change: the new text is written beside the file and takes its place in one step, with the mode that it had. A file
 * that somebody else has written meanwhile is left alone. Errors: store_busy, write_failed.
 */
export async function applyChange({ file, before, after }: Change): Promise<Result<void>> {
  try {
    if (after === null) return await removeFile(file, before);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const mode = before === null ? 0o600 : (await stat(file)).mode & 0o777;
    const temp = `${file}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      await writeTemp(temp, after, mode);
      if ((await textOf(file)) !== before) return changed(file);
      await rename(temp, file);
      return ok(undefined);
    } finally {
      await rm(temp, { force: true });
    }
  } catch (error) {
    return fail('write_failed', `${file} cannot be written: ${(error as Error).message}`, { file });
  }
}

async function removeFile(file: string, before: string | null): Promise<Result<void>> {
  if ((await textOf(file)) !== before) return changed(file);
  await unlink(file);
  return ok(undefined);
}

async function writeTemp(temp: string, text: string, mode: number): Promise<void> {
  const handle = await open(temp, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const textOf = (file: string): Promise<string | null> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });

const changed = (file: string): Result<never> =>
  fail('store_busy', `${file} was changed by another program meanwhile; nothing was written. Run it again.`, { file });

/** Who holds such a lock touches it all few seconds; one that is older was left by a program that was killed. */
const ABANDONED_MS = 10_000;

async function isAbandoned(lock: string): Promise<boolean> {
  const info = await stat(lock).catch(() => null);
  return info !== null && Date.now() - info.mtimeMs > ABANDONED_MS;
}

const isRemoved = (lock: string): Promise<boolean> =>
  rmdir(lock).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );

/** How long another program may hold the lock of a file. */
const WAIT_MS = 5_000;
const LOOK_MS = 50;

/**
 * Runs `work` under the lock that an agent itself takes for its file: a folder beside it, made and removed (Claude Code).
 * Errors: store_busy.
 */
export async function underFolderLock<T>(file: string, work: () => Promise<Result<T>>): Promise<Result<T>> {
  const lock = `${file}.lock`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  for (let waited = 0; ; waited += LOOK_MS) {
    try {
      await mkdir(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
        return fail('write_failed', `${lock} cannot be made: ${(error as Error).message}`, { file });
      const left = await isAbandoned(lock);
      if (left && (await isRemoved(lock))) continue;
      if (left)
        return fail(
          'store_busy',
          `${lock} was left by a program that ended, and cannot be removed. Remove it, and try again.`,
          {
            file,
          },
        );
      if (waited >= WAIT_MS)
        return fail('store_busy', `${file} is locked by the agent (${lock}). Close it, or try again.`, { file });
      await pause(LOOK_MS);
    }
  }
  try {
    return await work();
  } finally {
    await rmdir(lock).catch(() => {});
  }
}
