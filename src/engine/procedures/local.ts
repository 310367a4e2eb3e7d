import { randomUUID } from 'node:crypto';
import { keyIdOf } from '../../core/log/sign.ts';
import { activePath } from '../../core/view/branch.ts';
import { modelOrder, readSpecial, specialSeqs } from '../../core/view/model.ts';
import type { AppendInput, CreateSession } from '../../shared/append.ts';
import type { CompiledContext } from '../../shared/compiled.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { Verdict } from '../../shared/handoff.ts';
import type { SearchIndexState } from '../../shared/search.ts';
import type { Manifest, SessionRow } from '../../shared/session.ts';
import type { ExportedBundle } from '../bundle/export.ts';
import type { ImportedBundle } from '../bundle/import.ts';
import type { ImportProgress, ImportRequest, ImportSummary } from '../capture/contract.ts';
import type { LocalCompile } from '../compile/compile-session.ts';
import type { ExportedNative, NativeExport } from '../handoff/export-native.ts';
import { readHomeFile } from '../keys/home-file.ts';
import { initKeys, type KeyChoice, type KeyState, recoverKeys, recoveryShown } from '../keys/keys.ts';
import type { Appended } from '../sessions/append.ts';
import type { Created } from '../sessions/create.ts';
import type { Entry, EntryKey, EntryLog } from '../sessions/entries.ts';
import type { ManifestVerdict } from '../sessions/manifest.ts';
import { type Tail, tail } from '../sessions/tail.ts';
import type { StoreReader } from '../store/contract.ts';
import type { Examination } from '../verify/doctor.ts';
import type { RedactionReport } from '../verify/redaction.ts';
import { type EngineContext, type OpenHome, resolveSession, withHome } from './context.ts';
import { onStoreChange } from './follow.ts';
import { type OutputServices, outputServices } from './outputs.ts';

/** An event with what the views say about it; both are derived and not part of the log. */
export type ShownEvent = SessionEvent & { active: boolean; in_model: boolean };

/** What only a program on this machine may do: it names paths, keys and whole logs. Never served over a transport. */
export interface LocalServices extends OutputServices {
  /** Makes the store and its key (`created`; not on an initialised home), or restores the key by its recovery key. */
  init(
    choice: KeyChoice,
    recoveryKey?: string,
  ): Promise<Result<{ created: boolean; keys: KeyState; recovery_key?: string }>>;
  /** One import job, waited for. */
  import(
    request: ImportRequest,
    onProgress?: (progress: ImportProgress) => void,
    signal?: AbortSignal,
  ): Promise<Result<ImportSummary>>;
  /** All events of a session in order, some hundred at a time. */
  events(id: string): Promise<Result<{ session: SessionRow; events: AsyncIterable<ShownEvent[]> }>>;
  /** `public_key` is what the receiver checks it with; it goes another way than the bundle. */
  exportBundle(
    id: string,
    path: string,
    options?: { allowSecrets?: boolean; signal?: AbortSignal },
  ): Promise<Result<ExportedBundle & { public_key: string }>>;
  /** Makes a session of ours, puts events into one, reads on from an event: see src/engine/sessions. */
  createSession(session: CreateSession, operation?: string): Promise<Result<Created>>;
  append(id: string, events: readonly AppendInput[], operation?: string): Promise<Result<Appended>>;
  tail(id: string, from: number, limit: number): Promise<Result<Tail>>;
  /** Records that another program keeps with us, a log for each key. */
  readonly records: {
    append(key: EntryKey, entries: readonly Entry[], kept: ReadonlySet<string>): Promise<Result<void>>;
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
  /** As `compile.run`, and what names a folder of this machine, or a model that is sent the conversation. */
  compile(input: LocalCompile, signal?: AbortSignal): Promise<Result<CompiledContext>>;
  exportNative(
    id: string,
    wanted: Omit<NativeExport, 'operation'>,
    signal?: AbortSignal,
  ): Promise<Result<ExportedNative>>;
  importBundle(path: string, signal?: AbortSignal): Promise<Result<ImportedBundle>>;
  /** Checks a bundle. `publicKey` (raw, base64) is the signer's, from outside the bundle; this home's own is known. */
  verifyBundle(path: string, publicKey?: string): Promise<Result<{ sessions: { id: string; verdict: Verdict }[] }>>;
  /** Checks every log, manifest and receipt of the store. */
  verifyStore(onProgress?: (done: number, total: number) => void): Promise<Result<Verdict>>;
  /**
   * Brings the index of `sessions.search` up to date, for at most `waitMs`; what it says at the end is how far it is. Errors:
   * cancelled, and those of opening the home.
   */
  indexForSearch(
    waitMs: number,
    onProgress?: (state: SearchIndexState) => void,
    signal?: AbortSignal,
  ): Promise<Result<SearchIndexState>>;
  /** Looks for secrets in what is stored, under today's rules: of one session, or of all. Nothing is changed. */
  recheckRedaction(id: string | null, onProgress?: (soFar: RedactionReport) => void): Promise<Result<RedactionReport>>;
  /** Looks at the installation. Never fails: what is wrong is in the answer. */
  examine(): Promise<Examination>;
}

/** How often is looked for what other processes have written. */
const FOLLOW_MS = 250;

/** Bundles, exports and checks are loaded when they are first needed. */
export function localServices(context: EngineContext): LocalServices {
  const { home } = context.options;
  return {
    ...outputServices(context),
    init: (choice, recoveryKey) => init(context, choice, recoveryKey),
    import: (request, onProgress, signal) =>
      withHome(context, ({ capture }) => capture.import(request, onProgress, signal)),
    events: (id) =>
      withSession(context, id, async ({ store }, session) =>
        ok({ session, events: await shownEvents(store.reader, session.id) }),
      ),
    exportBundle: (id, path, { allowSecrets = false, signal } = {}) =>
      withSession(context, id, async ({ store, keys }, session) => {
        const { exportBundle } = await import('../bundle/export.ts');
        const done = await exportBundle(store, session, path, { allowSecrets, signal });
        return done.ok ? ok({ ...done.value, public_key: keys.signer.publicKey }) : done;
      }),
    createSession: (session, operation) =>
      withHome(context, async (open) =>
        (await import('../sessions/create.ts')).create(context, open, session, operation),
      ),
    append: (id, events, operation) =>
      withHome(context, async (open) =>
        (await import('../sessions/append.ts')).append(context, open, { id, events, operation_id: operation }),
      ),
    tail: (id, from, limit) =>
      withSession(context, id, async ({ store }, row) => ok(await tail(store, row, from, limit))),
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
    compile: (input, signal = new AbortController().signal) =>
      withHome(context, async (open) => {
        const { compileSession } = await import('../compile/compile-session.ts');
        return compileSession(context, open, input, signal);
      }),
    exportNative: (id, wanted, signal) =>
      withSession(context, id, async (open, session) => {
        const { exportNative } = await import('../handoff/export-native.ts');
        return exportNative(context, open, session, { ...wanted, operation: randomUUID() }, signal);
      }),
    importBundle: (path, signal) =>
      withHome(context, async ({ store }) => {
        const { importBundle } = await import('../bundle/import.ts');
        return importBundle(store, path, await knownKeys(home), signal);
      }),
    verifyBundle: async (path, publicKey) => {
      const { verifyBundle } = await import('../bundle/import.ts');
      return verifyBundle(path, await knownKeys(home, publicKey));
    },
    verifyStore: (onProgress) =>
      withHome(context, async ({ store, keys }) => {
        const { verifyStore } = await import('../verify/store.ts');
        return ok(await verifyStore(store.reader, keys.signer.publicKey, onProgress));
      }),
    indexForSearch: (waitMs, onProgress, signal) =>
      withHome(context, async ({ search }) => {
        const state = await search.catchUp(waitMs, { onProgress, signal });
        return signal?.aborted ? fail('cancelled', 'The search was cancelled.') : ok(state);
      }),
    recheckRedaction: (id, onProgress) =>
      withHome(context, async ({ store: { reader }, keys }) => {
        const { recheckRedaction } = await import('../verify/redaction.ts');
        const one = id === null ? null : await resolveSession(reader, id);
        if (one !== null && !one.ok) return one;
        const rows = one === null ? rowsOf(reader) : [one.value];
        return ok(await recheckRedaction(reader, rows, keys.redaction, onProgress));
      }),
    examine: async () => (await import('../verify/doctor.ts')).examine(context),
  };
}

function recordsOf(context: EngineContext): LocalServices['records'] {
  const code = () => import('../sessions/entries.ts');
  return {
    append: (key, entries, kept) =>
      withHome(context, async (open) => (await code()).appendEntries(open, key, entries, kept)),
    load: (key) => withHome(context, async (open) => ok(await (await code()).loadEntries(open, key))),
    list: (below) => withHome(context, async (open) => ok(await (await code()).listEntries(open, below))),
    drop: (key) => withHome(context, async (open) => (await code()).dropEntries(open, key)),
  };
}

/** Runs `use` on the open home and the one session that a handle means. */
function withSession<T>(
  context: EngineContext,
  handle: string,
  use: (home: OpenHome, session: SessionRow) => Promise<Result<T>>,
): Promise<Result<T>> {
  return withHome(context, async (home) => {
    const session = await resolveSession(home.store.reader, handle);
    return session.ok ? use(home, session.value) : session;
  });
}

async function* rowsOf(reader: StoreReader): AsyncGenerator<SessionRow> {
  const { allSessions } = await import('../verify/store.ts');
  for await (const { row } of allSessions(reader)) yield row;
}

async function init(context: EngineContext, choice: KeyChoice, recoveryKey?: string) {
  const where = { home: context.options.home, keychain: context.keychain };
  const made: Awaited<ReturnType<typeof initKeys>> =
    recoveryKey === undefined ? await initKeys(where, choice) : await recoverKeys(where, choice, recoveryKey);
  if (!made.ok) return made;
  const home = await context.home(choice.kind === 'passphrase' ? choice.passphrase : undefined);
  if (!home.ok) return home;
  await recoveryShown(context.options.home);
  const { state, recoveryKey: shown } = made.value;
  return ok({ created: shown !== undefined, keys: state, ...(shown === undefined ? {} : { recovery_key: shown }) });
}

/** The keys that signatures can be checked with: this home's own and one that the caller vouches for. */
async function knownKeys(home: string, publicKey?: string): Promise<(keyId: string) => string | null> {
  const file = await readHomeFile(home);
  const own = file.ok && file.value ? [file.value.public_key] : [];
  const known = new Map(
    [...own, ...(publicKey === undefined ? [] : [publicKey])].map((key) => [keyIdOf(Buffer.from(key, 'base64')), key]),
  );
  return (keyId) => known.get(keyId) ?? null;
}

async function shownEvents(reader: StoreReader, id: string): Promise<AsyncIterable<ShownEvent[]>> {
  const index = await reader.index(id);
  const special = readSpecial(await reader.eventsAt(id, specialSeqs(index)));
  const active = activePath(index, special.leaf);
  const inModel = new Set(modelOrder(index, special));
  return (async function* () {
    for await (const events of reader.stream(id)) {
      yield events.map((event) => ({ ...event, active: active[event.seq] === 1, in_model: inModel.has(event.seq) }));
    }
  })();
}
