import type { Result } from '../../shared/errors.ts';
import { fail } from '../../shared/errors.ts';
import type { Store, StoreOptions } from './contract.ts';

/**
 * Opens the store of a home, making it when there is none. Errors: key_wrong, store_corrupt, store_version_too_new,
 * store_busy, store_full, store_read_only; none of them changes anything on disk.
 */
export async function openStore(_options: StoreOptions): Promise<Result<Store>> {
  return fail('internal', 'The store is being built.');
}
