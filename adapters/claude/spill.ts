import { join } from 'node:path';
import { readSmallFile } from '../io/files.ts';
import { isObject, text } from './record.ts';
import { isThere } from './side-files.ts';
import type { SessionState } from './state.ts';

const SPILLED = '<persisted-output>';
const PATH = /(?:saved to|Full output[^:\n]*):\s*(\S[^\n]*?)\s*$/m;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The whole output of a call that the client wrote to a file beside the session, as an artifact, redacted. Paths are
 * absolute, so a tree that was moved is looked up below its session's folder. Undefined when nothing was spilled.
 */
export function readSpilled(
  state: SessionState,
  twin: unknown,
  said: string | undefined,
): { bytes: number; artifact: string } | undefined {
  const named = isObject(twin) ? text(twin.persistedOutputPath) : undefined;
  if (named === undefined && (said === undefined || !said.startsWith(SPILLED))) return undefined;
  const path = named ?? PATH.exec(said ?? '')?.[1];
  if (path === undefined) return undefined;
  const found = locate(path, state.setting.folder);
  const read = found === undefined ? undefined : readSmallFile(found, MAX_BYTES);
  if (read?.ok !== true) {
    const reason = read === undefined ? 'It is not there.' : read.error.message;
    state.log.warn('unreadable-file', `The full output of a call was kept in a file of its own. ${reason}`, {
      file: path,
    });
    return undefined;
  }
  const whole = state.setting.redact(Buffer.from(read.value).toString('utf8'));
  const bytes = Buffer.from(whole);
  return { bytes: bytes.length, artifact: state.store(bytes, 'text/plain') };
}

/** Only files of the session's own folder are read, whatever a record names. */
function locate(path: string, folder: string): string | undefined {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  if (name === '' || name === '..') return undefined;
  const own = join(folder, 'tool-results', name);
  return isThere(own) ? own : undefined;
}
