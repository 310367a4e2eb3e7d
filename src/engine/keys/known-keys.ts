import { keyIdOf } from '../../core/log/sign.ts';
import { readHomeFile } from './home-file.ts';

/** The keys that signatures can be checked with: this home's own and one that the caller vouches for. */
export async function knownKeys(home: string, publicKey?: string): Promise<(keyId: string) => string | null> {
  const file = await readHomeFile(home);
  const own = file.ok && file.value ? [file.value.public_key] : [];
  const known = new Map(
    [...own, ...(publicKey === undefined ? [] : [publicKey])].map((key) => [keyIdOf(Buffer.from(key, 'base64')), key]),
  );
  return (keyId) => known.get(keyId) ?? null;
}
