import { manifestSigned } from '../../core/log/manifest.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import { type Manifest, manifestSchema, type SessionRow } from '../../shared/session.ts';
import type { Store } from '../store/contract.ts';

/** What the signature of a manifest is worth. */
export interface ManifestVerdict {
  /** the manifest is exactly what that key signed */
  ok: boolean;
  key_id: string;
  /** false: the key is not known here, so nothing could be checked */
  known: boolean;
}

/** The last signed manifest when it is that of the head, else a new one: nothing that is not in the log is signed. */
export async function signedAtHead(store: Store, row: SessionRow): Promise<Result<Manifest>> {
  const [known, [last]] = await Promise.all([
    store.reader.manifest(row.id),
    row.events === 0 ? [undefined] : store.reader.eventsAt(row.id, [row.events - 1]),
  ]);
  if (known && last && known.head === last.checksum) return ok(known);
  const decided = await store.writer.decide({
    manifests: [{ session: row.id, adapter_version: row.agent_version ?? 'unknown' }],
  });
  return decided.ok ? ok(decided.value.manifests?.[0] as Manifest) : decided;
}

/** Checks a manifest by itself. `keyOf` knows the public keys that are trusted (raw, base64). */
export function checkManifest(manifest: unknown, keyOf: (keyId: string) => string | null): Result<ManifestVerdict> {
  const parsed = manifestSchema.safeParse(manifest);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return fail('invalid_request', `This is no manifest: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}.`);
  }
  const { key_id } = parsed.data.signature;
  const key = keyOf(key_id);
  return ok({ ok: key !== null && manifestSigned(manifest as Manifest, key), key_id, known: key !== null });
}
