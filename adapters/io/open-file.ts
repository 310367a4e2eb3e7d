import { closeSync, constants, fstatSync, openSync } from 'node:fs';

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
