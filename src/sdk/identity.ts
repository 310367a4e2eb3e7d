import { orThrow } from './error.ts';
import { engineOf } from './open-store.ts';
import type { Manifest, ManifestVerdict } from './types.ts';

/** Signs for a store and checks what others signed. The private key stays in the store's own thread. */
export class Identity {
  readonly #store: object;

  /** @internal `store.identity` is this */
  constructor(store: object) {
    this.#store = store;
  }

  /** The key that others check with (raw Ed25519, base64), and its id. Give it by another way than what it signs. */
  async key(): Promise<{ key_id: string; public_key: string }> {
    return orThrow(await engineOf(this.#store).local.identity());
  }

  /**
   * Signs the manifest of a session as its log says now; of what is given, only the session's id is believed. A head that was
   * signed before gives the same manifest.
   */
  async sign(manifest: Pick<Manifest, 'session_id'>): Promise<Manifest> {
    return orThrow(await engineOf(this.#store).local.signManifest(manifest.session_id));
  }

  /** Whether a manifest is exactly what its key signed. `public_key` is the signer's; this store's own is known. */
  async verify(manifest: Manifest, public_key?: string): Promise<ManifestVerdict> {
    return orThrow(await engineOf(this.#store).local.verifyManifest(manifest, public_key));
  }
}
