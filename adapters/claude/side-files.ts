import { readdirSync, statSync } from 'node:fs';
import { readSmallFile } from '../io/files.ts';
import { isObject, type Json } from './record.ts';

const MAX_BYTES = 1024 * 1024;

/** Folder with the side files of a session. */
export const sideFolder = (path: string): string => path.replace(/\.jsonl$/, '');

/** Names in a folder, sorted; none when it is not there or cannot be read. Most sessions have no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return isThere(folder) ? readdirSync(folder).sort() : [];
  } catch {
    return [];
  }
}

/** Whether a path exists. Cheaper than an attempt that fails. */
export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The object of a small JSON file; undefined when there is none. Side files only add to what the session says. */
export function readJsonFile(path: string): Json | undefined {
  if (!isThere(path)) return undefined;
  const bytes = readSmallFile(path, MAX_BYTES);
  if (!bytes.ok) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes.value).toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
