import { readdir, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fail, ok, type Result } from '../../../src/shared/errors.ts';
import type { Warning } from '../../../src/shared/events.ts';
import type { MaterializeOptions, Written } from '../../contract.ts';
import { fileSha256, removeLeftovers } from '../../io/file-hash.ts';
import { errnoOf } from '../../io/source-error.ts';
import { createPrivateFile } from '../../io/write.ts';
import { CHATS, geminiHome, isHashFolder, PROJECT_ROOT } from '../home.ts';
import { markedRoot, registeredProjects } from '../project.ts';
import { rootOf } from './place.ts';

/**
 * Marks the project's folder where the client has not done so yet: it finds a folder by its mark and then registers it
 * itself, so projects.json stays untouched. The session is listed by what stands in its file.
 */
export async function registerProject(
  written: Pick<Written, 'final'>,
  options: MaterializeOptions,
): Promise<Result<Warning[]>> {
  // a sub-agent lies a folder deeper, in that of its session, whose project is marked
  if (basename(dirname(written.final)) !== CHATS) return ok([]);
  const folder = dirname(dirname(written.final));
  const root = rootOf(options.cwd);
  if (isHashFolder(basename(folder)) || markedRoot(folder) === root) return ok([]);
  const created = await createPrivateFile(join(folder, PROJECT_ROOT));
  if (!created.ok) return markedRoot(folder) === root ? ok([]) : created;
  created.value.put(root);
  const committed = await created.value.commit();
  return committed.ok || markedRoot(folder) === root ? ok([]) : committed;
}

/** Takes back what write and register made. A session that somebody has gone on with stays. */
export async function removeSession(
  written: Pick<Written, 'final' | 'sha256'>,
  options: MaterializeOptions,
): Promise<Result<string[]>> {
  const { final } = written;
  await removeLeftovers(final);
  const now = await fileSha256(final);
  if (now !== null && now !== written.sha256)
    return fail(
      'target_exists',
      `${final} was continued in Gemini CLI since the handoff, so it stays. Delete it in Gemini CLI if it is not wanted.`,
      { path: final },
    );
  try {
    await unlink(final);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT')
      return fail('write_failed', `${final} could not be removed (${errnoOf(error)}). Remove it yourself.`, {
        path: final,
      });
  }
  await removeEmptyProject(dirname(dirname(final)), options);
  return ok([]);
}

/** The project's folder was ours where nothing but our mark is in it and the client does not know it. */
async function removeEmptyProject(folder: string, options: MaterializeOptions): Promise<void> {
  const home = geminiHome(options.env);
  const slug = basename(folder);
  await rmdir(join(folder, 'chats')).catch(() => undefined);
  const left = await readdir(folder).catch((): string[] => []);
  const known =
    [...registeredProjects(home).values()].includes(slug) || markedRoot(join(home, 'history', slug)) !== null;
  if (known || left.some((name) => name !== PROJECT_ROOT)) return;
  if (left.length > 0) await unlink(join(folder, PROJECT_ROOT)).catch(() => undefined);
  for (const empty of [folder, dirname(folder)]) await rmdir(empty).catch(() => undefined);
}
