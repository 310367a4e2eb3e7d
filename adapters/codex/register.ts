import { readdir } from 'node:fs/promises';
import { fail, ok, type Result } from '../../src/shared/errors.ts';
import type { Warning } from '../../src/shared/events.ts';
import type { MaterializeOptions, Written } from '../contract.ts';
import { errnoOf } from '../io/source-error.ts';
import { callAppServer } from './app-server.ts';
import { codexHome } from './home.ts';
import { findCodex } from './installed.ts';
import { appendName, sessionIndexPath } from './session-index.ts';

/** Names longer than this help nobody in a list. */
const MAX_TITLE = 200;

/**
 * Makes Codex list the new thread by its title. Codex itself is asked to name the thread, which adds the row to its
 * database (making that first in a home that Codex has not been started in); the database is never touched from
 * outside. Where Codex cannot be asked, the title goes to `session_index.jsonl`; Codex 0.171 does not take it from there
 * for a paginated thread, whose row is its first prompt then (seen in the picker of a fresh home).
 */
export async function registerThread(
  written: Pick<Written, 'final'>,
  options: MaterializeOptions,
): Promise<Result<Warning[]>> {
  const home = codexHome(options.env);
  const name = options.title.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE);
  const reason = await askCodex(options, name);
  if (reason === null) return ok([]);
  try {
    if (name !== '') await appendName(home, options.nativeId, name, options.at);
  } catch (error) {
    const path = sessionIndexPath(home);
    return fail(
      'write_failed',
      `The title could not be added to ${path} (${errnoOf(error)}). Check its owner and mode and try again.`,
      { path },
    );
  }
  return ok((await hasThreadDatabase(home)) ? [notListed(written.final, options.nativeId, reason)] : []);
}

/** null = done; else why not. */
async function askCodex(options: MaterializeOptions, name: string): Promise<string | null> {
  const codex = await findCodex(options.env);
  if (codex === null) return 'the program codex was not found on PATH';
  const done =
    name === ''
      ? await callAppServer(codex.path, options.env, 'thread/read', { threadId: options.nativeId })
      : await callAppServer(codex.path, options.env, 'thread/name/set', { threadId: options.nativeId, name });
  return done.ok ? null : done.error.message;
}

function notListed(file: string, id: string, reason: string): Warning {
  return {
    about: 'not-registered',
    file,
    detail: `Codex's own list does not show the thread yet (${reason}). It is complete all the same: codex resume ${id} opens it and adds it to the list.`,
  };
}

/** `state_<n>.sqlite` in the Codex home; made by Codex at its first start. */
export async function hasThreadDatabase(home: string): Promise<boolean> {
  const names = await readdir(home).catch(() => []);
  return names.some((name) => /^state_\d+\.sqlite$/.test(name));
}
