import { unlink } from 'node:fs/promises';
import { fail, ok, type Result } from '../../../src/shared/errors.ts';
import type { Written } from '../../contract.ts';
import { fileSha256, removeLeftovers } from '../../io/file-hash.ts';
import { errnoOf } from '../../io/source-error.ts';

/** Takes back the written file, the only thing that was made. A session that somebody has gone on with stays. */
export async function removeChain({
  final: path,
  sha256,
}: Pick<Written, 'final' | 'sha256'>): Promise<Result<string[]>> {
  await removeLeftovers(path);
  const found = await fileSha256(path);
  if (found === null) return ok([]);
  if (found !== sha256)
    return fail(
      'target_exists',
      `${path} was continued in Pi since the handoff, so it stays. Delete it yourself if it is not wanted.`,
      { path },
    );
  try {
    await unlink(path);
    return ok([]);
  } catch (error) {
    return fail('write_failed', `${path} could not be removed (${errnoOf(error)}). Remove it yourself.`, { path });
  }
}
