import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { fail, ok, type Result } from '../../shared/errors.ts';
import { wrappedKeySchema } from './passphrase.ts';

/** `home.json`: which home this is and where its root key lives. It holds no secret in clear. */
export const homeFileSchema = z.object({
  version: z.literal(1),
  /** names this home in the keychain */
  id: z.string().regex(/^home-[0-9a-f]{16}$/),
  created: z.string(),
  /** recognises the right root key */
  check: z.string(),
  /** raw Ed25519 public key, base64: signatures can be checked without any secret */
  public_key: z.string(),
  /** nobody has seen the recovery key yet; absent = it was shown */
  recovery: z.literal('unshown').optional(),
  key: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('keychain') }),
    z.object({ kind: z.literal('passphrase'), wrapped: wrappedKeySchema }),
    /** absolute, or relative to the home */
    z.object({ kind: z.literal('keyfile'), path: z.string() }),
  ]),
});
export type HomeFile = z.infer<typeof homeFileSchema>;

export const homeFilePath = (home: string): string => join(home, 'home.json');
export const storePath = (home: string): string => join(home, 'store.db');

/**
 * Reads home.json. Null = this home was never initialised. A store without home.json is not an empty home: its key is
 * lost, and that is said (key_missing). A damaged or newer file is refused too.
 */
export async function readHomeFile(home: string): Promise<Result<HomeFile | null>> {
  const path = homeFilePath(home);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      return fail('source_unreadable', `${path} cannot be read: ${(error as Error).message}.`, { path });
    }
    if (!existsSync(storePath(home))) return ok(null);
    return fail(
      'key_missing',
      `${storePath(home)} exists, but ${path}, which says where its key is, is gone. Put it back from a backup, or restore the key: \`sessionctl init --recover\`.`,
      { path },
    );
  }
  return parse(text, path);
}

function parse(text: string, path: string): Result<HomeFile> {
  try {
    const json: unknown = JSON.parse(text);
    const version = z.looseObject({ version: z.number() }).safeParse(json);
    if (version.success && version.data.version > 1) {
      return fail(
        'store_version_too_new',
        `${path} was written by a newer sessionctl. Update this one; nothing was changed.`,
      );
    }
    const parsed = homeFileSchema.safeParse(json);
    if (parsed.success) return ok(parsed.data);
    const where = parsed.error.issues[0]?.path.join('.') || 'its form';
    return fail(
      'store_corrupt',
      `${path} is damaged (${where}). Put it back from a backup, or run \`sessionctl init --recover\`.`,
    );
  } catch {
    return fail(
      'store_corrupt',
      `${path} is not JSON. Put it back from a backup, or run \`sessionctl init --recover\`.`,
    );
  }
}
