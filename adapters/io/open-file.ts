import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * Opens a file to read it. What is no file (a pipe put where one belongs) is refused: to open or read it could wait for ever.
 * @throws as `openSync`, and EINVAL for what is no file
 */
export function openFile(path: string): number {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const info = fstatSync(fd);
  if (info.isFile()) return fd;
  closeSync(fd);
  if (info.isDirectory()) throw Object.assign(new Error(`${path} is a folder`), { code: 'EISDIR' });
  throw Object.assign(new Error(`${path} is no file`), { code: 'EINVAL' });
}

/** Settings and lists are far smaller; what is larger is none, and would only fill the memory. */
const LARGEST_TEXT = 256 << 20;

/**
 * Whole text of a file that an agent keeps beside its sessions, such as settings.
 * @throws as `openFile`, and EFBIG
 */
export function readText(path: string): string {
  const fd = openFile(path);
  try {
    if (fstatSync(fd).size > LARGEST_TEXT) throw Object.assign(new Error(`${path} is too large`), { code: 'EFBIG' });
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

/** The same; '' for what is not there or cannot be read. */
export function textIfAny(path: string): string {
  try {
    return readText(path);
  } catch {
    return '';
  }
}
