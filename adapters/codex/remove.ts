import { readdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fail, ok, type Result } from '../../src/shared/errors.ts';
import type { MaterializeOptions, Written } from '../contract.ts';
import { fileSha256, fileTail, removeLeftovers } from '../io/file-hash.ts';
import { errnoOf } from '../io/source-error.ts';
import { callAppServer } from './app-server.ts';
import { codexHome, parseRolloutName } from './home.ts';
import { findCodex } from './installed.ts';
import { hasThreadDatabase } from './register.ts';
import { dropName } from './session-index.ts';

/**
 * Takes back what write and register made. A thread that somebody has gone on with stays.
 *
 * @returns sentences about what is left behind, empty = nothing
 */
export async function removeThread(
  written: Pick<Written, 'final' | 'sha256'>,
  options: MaterializeOptions,
): Promise<Result<string[]>> {
  const home = codexHome(options.env);
  await removeLeftovers(written.final);
  const state = await stateOf(written);
  const further = await furtherFiles(written.final, options.nativeId);
  if (state === 'continued' || (await isTouched(further, options.at))) {
    return fail(
      'target_exists',
      `${written.final} was continued in Codex since the handoff, so it stays. Delete it in Codex if it is not wanted.`,
      { path: written.final },
    );
  }
  const left: string[] = [];
  if (await hasThreadDatabase(home)) left.push(...(await deleteInCodex(options, state)));
  for (const path of [written.final, ...further]) {
    try {
      await unlink(path);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT')
        return fail('write_failed', `${path} could not be removed (${errnoOf(error)}). Remove it yourself.`, { path });
    }
  }
  const gone = await dropName(home, options.nativeId).catch(() => false);
  if (!gone) left.push('session_index.jsonl of Codex keeps a line with the title; Codex ignores it.');
  return ok(left);
}

/** Files that rewinds made, of a thread that came home whole. */
async function furtherFiles(final: string, threadId: string): Promise<string[]> {
  const names = await readdir(dirname(final)).catch((): string[] => []);
  const own = names.filter((name) => parseRolloutName(name)?.threadId === threadId);
  return own.map((name) => join(dirname(final), name)).filter((path) => path !== final);
}

/** They were given the time of the handoff; Codex goes on in the last of them, or makes another. */
async function isTouched(paths: readonly string[], at: number): Promise<boolean> {
  for (const path of paths) if (Math.abs((await stat(path)).mtimeMs / 1000 - at) > 1) return true;
  return false;
}

/** Codex deletes file, row and name in one; only its list needs it, so a failure is said and not fatal. */
async function deleteInCodex(options: MaterializeOptions, state: 'unchanged' | 'absent'): Promise<string[]> {
  if (state === 'absent') return [];
  const codex = await findCodex(options.env);
  const done =
    codex === null
      ? null
      : await callAppServer(codex.path, options.env, 'thread/delete', { threadId: options.nativeId });
  if (done?.ok === true) return [];
  return ['The list of Codex may still show the thread until it notices that the file is gone.'];
}

const TAIL = 1 << 16;

/** Codex before 0.149 adds a line with the name to the file when it is named: that alone is no continuation. */
async function stateOf(written: Pick<Written, 'final' | 'sha256'>): Promise<'unchanged' | 'continued' | 'absent'> {
  const whole = await fileSha256(written.final);
  if (whole === null) return 'absent';
  if (whole === written.sha256) return 'unchanged';
  const { start, bytes } = await fileTail(written.final, TAIL);
  for (let end = bytes.length; ; ) {
    const line = bytes.lastIndexOf(0x0a, end - 2) + 1;
    if (line === 0 || !bytes.subarray(line, end).includes('"thread_name_updated"')) return 'continued';
    if ((await fileSha256(written.final, start + line)) === written.sha256) return 'unchanged';
    end = line;
  }
}
