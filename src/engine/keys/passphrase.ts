import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { z } from 'zod';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { RootKey } from './root-key.ts';

/** A root key locked by a passphrase: scrypt, then AES-256-GCM. All binary fields are base64. */
export const wrappedKeySchema = z.object({
  kdf: z.literal('scrypt'),
  n: z
    .number()
    .int()
    .min(1024)
    .max(1 << 20),
  r: z.number().int().min(1).max(32),
  p: z.number().int().min(1).max(16),
  salt: z.string(),
  nonce: z.string(),
  data: z.string(),
});
export type WrappedKey = z.infer<typeof wrappedKeySchema>;

/** 128 MB and about 0.4 s a try. */
const COST = { n: 1 << 17, r: 8, p: 1 };

type Cost = Pick<WrappedKey, 'n' | 'r' | 'p'>;

function stretch(passphrase: string, salt: Buffer, { n, r, p }: Cost): Promise<Buffer> {
  const options = { N: n, r, p, maxmem: 256 * n * r };
  return new Promise((resolve, reject) =>
    scrypt(passphrase.normalize('NFKC'), salt, 32, options, (error, key) => (error ? reject(error) : resolve(key))),
  );
}

export async function wrap(root: RootKey, passphrase: string, cost: Cost = COST): Promise<WrappedKey> {
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', await stretch(passphrase, salt, cost), nonce);
  const data = Buffer.concat([cipher.update(root), cipher.final(), cipher.getAuthTag()]);
  return {
    kdf: 'scrypt',
    ...cost,
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    data: data.toString('base64'),
  };
}

/** Errors: key_wrong. */
export async function unwrapKey(wrapped: WrappedKey, passphrase: string): Promise<Result<RootKey>> {
  const data = Buffer.from(wrapped.data, 'base64');
  try {
    const key = await stretch(passphrase, Buffer.from(wrapped.salt, 'base64'), wrapped);
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(wrapped.nonce, 'base64'));
    decipher.setAuthTag(data.subarray(-16));
    return ok(Buffer.concat([decipher.update(data.subarray(0, -16)), decipher.final()]));
  } catch {
    return fail(
      'key_wrong',
      'The passphrase is wrong. Try again, or use the recovery key: `sessionctl init --recover`.',
    );
  }
}
