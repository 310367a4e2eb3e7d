import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail, ok, type Result } from '../../shared/errors.ts';
import { type Setup, type Start, type Surroundings, setupOf } from './setups.ts';
import { applyChange, type Change, readConfig, underFolderLock } from './write.ts';

export interface InstallRequest {
  agent: string;
  start: Start;
  around: Surroundings;
  /** take it out again */
  undo: boolean;
  /** say what would be done; nothing is written */
  dryRun: boolean;
}

export interface Installed {
  agent: string;
  kind: 'mcp' | 'skill';
  file: string;
  /** where in the file; '' = the whole file */
  at: string;
  /** none: it is so already */
  action: 'add' | 'update' | 'remove' | 'none';
  /** the entry */
  text: string;
  written: boolean;
  next: string;
}

/**
 * Puts our server (or a skill, for agents without MCP) into an agent's configuration, or takes it out. Every other byte of
 * the file stays; a file that is not understood is not touched. Errors: target_unsupported, target_exists, invalid_request,
 * source_unreadable, store_busy, write_failed.
 */
export async function install(request: InstallRequest): Promise<Result<Installed>> {
  const setup = await setupOf(request.agent, request.start, request.around);
  if (!setup.ok) return setup;
  const work = (): Promise<Result<Installed>> => change(request, setup.value);
  return setup.value.locked && !request.dryRun ? underFolderLock(setup.value.file, work) : work();
}

async function change({ agent, undo, dryRun }: InstallRequest, setup: Setup): Promise<Result<Installed>> {
  const { format, kind } = setup;
  const config = await readConfig(setup.file);
  if (!config.ok) return config;
  const { file, text } = config.value;
  const after = undo ? (text === null ? ok(null) : format.remove(text)) : format.add(text);
  if (!after.ok) return refused(setup.file, after);
  const action = after.value === text ? 'none' : undo ? 'remove' : await addOrUpdate(setup, text);
  const done: Installed = {
    agent,
    kind,
    file: setup.file,
    at: format.at,
    action,
    text: format.shown,
    written: false,
    next: setup.next,
  };
  if (action === 'none' || dryRun) return ok(done);
  const applied = await apply({ file, before: text, after: after.value }, setup);
  return applied.ok ? ok({ ...done, written: true }) : applied;
}

/** An entry of ours that was there before, for another place of the program. */
async function addOrUpdate({ format }: Setup, text: string | null): Promise<'add' | 'update'> {
  const without = text === null ? ok(null) : format.remove(text);
  return without.ok && without.value !== text ? 'update' : 'add';
}

async function apply(change: Change, { kind }: Setup): Promise<Result<void>> {
  const applied = await applyChange(change);
  // a skill has a folder of its own
  if (applied.ok && kind === 'skill' && change.after === null) await rmdir(dirname(change.file)).catch(() => {});
  return applied;
}

function refused(file: string, { error }: { error: { code: string; message: string } }): Result<never> {
  const { message } = error;
  return error.code === 'target_exists'
    ? fail('target_exists', `${file}: ${message}`, { file })
    : fail('invalid_request', `${file} is not understood, so nothing was written: ${message}`, { file });
}
