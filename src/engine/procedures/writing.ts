import type { AppendInput, CreateSession } from '../../shared/append.ts';
import { ok, type Result } from '../../shared/errors.ts';
import type { Manifest } from '../../shared/session.ts';
import { knownKeys } from '../keys/known-keys.ts';
import type { Appended } from '../sessions/append.ts';
import type { Created } from '../sessions/create.ts';
import type { Entry, EntryKey, EntryLog } from '../sessions/entries.ts';
import type { FieldPath } from '../sessions/kept-fields.ts';
import type { ManifestVerdict } from '../sessions/manifest.ts';
import { type Tail, tail } from '../sessions/tail.ts';
import { type EngineContext, withHome, withSession } from './context.ts';
import { onStoreChange } from './follow.ts';

/** What programs put into the store by themselves, and how they follow it. */
export interface WritingServices {
  /** Makes a session of ours, puts events into one, reads on from an event: see src/engine/sessions. */
  createSession(session: CreateSession, operation?: string): Promise<Result<Created>>;
  append(id: string, events: readonly AppendInput[], operation?: string): Promise<Result<Appended>>;
  tail(id: string, from: number, limit: number): Promise<Result<Tail>>;
  /** Records that another program keeps with us, a log for each key. */
  readonly records: {
    append(key: EntryKey, entries: readonly Entry[], kept: readonly FieldPath[]): Promise<Result<void>>;
    load(key: EntryKey): Promise<Result<Entry[] | null>>;
    list(below: EntryKey): Promise<Result<EntryLog[]>>;
    drop(key: EntryKey): Promise<Result<void>>;
  };
  /** Calls back whenever anything was written to the store, by any process, until the returned function is called. */
  follow(onChange: () => void): Promise<Result<() => Promise<void>>>;
  /** The key that this store signs with (raw, base64), and its id. */
  identity(): Promise<Result<{ key_id: string; public_key: string }>>;
  /** The manifest of a session, signed at its present head; and whether one was signed, by this home or a key that is given. */
  signManifest(id: string): Promise<Result<Manifest>>;
  verifyManifest(manifest: unknown, publicKey?: string): Promise<Result<ManifestVerdict>>;
}

/** How often is looked for what other processes have written. */
const FOLLOW_MS = 250;

export function writingServices(context: EngineContext): WritingServices {
  const { home } = context.options;
  return {
    createSession: (session, operation) =>
      withHome(context, async (open) =>
        (await import('../sessions/create.ts')).create(context, open, session, operation),
      ),
    append: (id, events, operation) =>
      withHome(context, async (open) =>
        (await import('../sessions/append.ts')).append(context, open, { id, events, operation_id: operation }),
      ),
    tail: (id, from, limit) => withSession(context, id, ({ store }, row) => tail(store, row, from, limit)),
    records: recordsOf(context),
    follow: (onChange) => withHome(context, async () => ok(onStoreChange(home, FOLLOW_MS, async () => onChange()))),
    identity: () =>
      withHome(context, async ({ keys: { signer } }) => ok({ key_id: signer.keyId, public_key: signer.publicKey })),
    signManifest: (id) =>
      withSession(context, id, async ({ store }, row) =>
        (await import('../sessions/manifest.ts')).signedAtHead(store, row),
      ),
    verifyManifest: async (manifest, publicKey) =>
      (await import('../sessions/manifest.ts')).checkManifest(manifest, await knownKeys(home, publicKey)),
  };
}

function recordsOf(context: EngineContext): WritingServices['records'] {
  const code = () => import('../sessions/entries.ts');
  return {
    append: (key, entries, kept) =>
      withHome(context, async (open) => (await code()).appendEntries(open, key, entries, kept)),
    load: (key) => withHome(context, async (open) => ok(await (await code()).loadEntries(open, key))),
    list: (below) => withHome(context, async (open) => ok(await (await code()).listEntries(open, below))),
    drop: (key) => withHome(context, async (open) => (await code()).dropEntries(open, key)),
  };
}
