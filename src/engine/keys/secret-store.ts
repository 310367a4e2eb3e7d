import type { Result } from '../../shared/errors.ts';

/** Where a secret can be kept outside our own files. One account a home, so that several homes share one keychain. */
export interface SecretStore {
  /** The secret, or null when the store answers and has none. Errors: key_locked when it does not answer or refuses. */
  get(account: string): Promise<Result<string | null>>;
  /** Errors: key_locked when it does not answer or refuses. */
  set(account: string, secret: string): Promise<Result<void>>;
}
