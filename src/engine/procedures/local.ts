import { randomUUID } from 'node:crypto';
import { activePath } from '../../core/view/branch.ts';
import { modelOrder, readSpecial, specialSeqs } from '../../core/view/model.ts';
import type { CompiledContext } from '../../shared/compiled.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { SessionEvent, Warning } from '../../shared/events.ts';
import type { Verdict } from '../../shared/handoff.ts';
import type { SearchIndexState } from '../../shared/search.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { ExportedBundle } from '../bundle/export.ts';
import type { ImportedBundle } from '../bundle/import.ts';
import type { ImportProgress, ImportRequest, ImportSummary } from '../capture/contract.ts';
import type { LocalCompile } from '../compile/compile-session.ts';
import type { ExportedNative, NativeExport } from '../handoff/export-native.ts';
import { initKeys, type KeyChoice, type KeyState, recoverKeys, recoveryShown } from '../keys/keys.ts';
import { knownKeys } from '../keys/known-keys.ts';
import type { StoreReader } from '../store/contract.ts';
import type { Examination } from '../verify/doctor.ts';
import type { RedactionReport } from '../verify/redaction.ts';
import { type EngineContext, resolveSession, withHome, withSession } from './context.ts';
import { type OutputServices, outputServices } from './outputs.ts';
import { type WritingServices, writingServices } from './writing.ts';

/** An event with what the views say about it; both are derived and not part of the log. */
export type ShownEvent = SessionEvent & { active: boolean; in_model: boolean };

/** What only a program on this machine may do: it names paths, keys and whole logs. Never served over a transport. */
export interface LocalServices extends OutputServices, WritingServices {
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
  /**
   * Reads what the agent of a session has written since the last capture, where its source may be read. What hindered it is
   * in the warnings: the session can be shown without.
   */
  refresh(id: string): Promise<Result<Warning[]>>;
  /** All events of a session in order, some hundred at a time. */
  events(id: string): Promise<Result<{ session: SessionRow; events: AsyncIterable<ShownEvent[]> }>>;
  /** `public_key` is what the receiver checks it with; it goes another way than the bundle. */
  exportBundle(
    id: string,
    path: string,
    options?: { allowSecrets?: boolean; signal?: AbortSignal },
  ): Promise<Result<ExportedBundle & { public_key: string }>>;
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

/** Bundles, exports and checks are loaded when they are first needed. */
export function localServices(context: EngineContext): LocalServices {
  const { home } = context.options;
  return {
    ...outputServices(context),
    ...writingServices(context),
    init: (choice, recoveryKey) => init(context, choice, recoveryKey),
    import: (request, onProgress, signal) =>
      withHome(context, ({ capture }) => capture.import(request, onProgress, signal)),
    refresh: (id) =>
      withSession(context, id, async (open, session) => {
        if (!(await open.store.reader.enabledSources()).includes(session.agent)) return ok([]);
        const { refreshSource } = await import('../handoff/refresh.ts');
        return ok(await refreshSource(context, open, session.id));
      }),
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
