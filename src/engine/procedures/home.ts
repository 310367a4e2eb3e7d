import { stat } from 'node:fs/promises';
import type { AppEvent } from '../../shared/api.ts';
import { fail, ok, type Result, toAppError } from '../../shared/errors.ts';
import { createCapture } from '../capture/capture.ts';
import type { Watch } from '../capture/contract.ts';
import { readUnread, withUnread } from '../capture/unread.ts';
import { readHomeFile, storePath } from '../keys/home-file.ts';
import { openKeys } from '../keys/keys.ts';
import type { SecretStore } from '../keys/secret-store.ts';
import type { SearchEngine } from '../search/contract.ts';
import { createSearch } from '../search/search.ts';
import { openStore } from '../store/client.ts';
import type { EngineOptions, OpenHome } from './context.ts';
import { followStore } from './follow.ts';

interface HomeHandle {
  open(passphrase?: string): Promise<Result<OpenHome>>;
  watching(): boolean;
  /** Looks at the enabled sources again soon, but not while an import reads them anyway. */
  sourcesChanged(): void;
  close(): Promise<void>;
}

/** After a change of sources an import usually follows at once. */
const SOON_MS = 1000;

/** Opens the home once, at the first need, and follows sources and store when asked to. A failed try can be repeated. */
export function createHome(
  options: EngineOptions,
  keychain: SecretStore,
  emit: (event: AppEvent) => void,
  importing: () => boolean,
): HomeHandle {
  let opening: Promise<Result<OpenHome>> | null = null;
  let watching: Promise<Watch | null> = Promise.resolve(null);
  let watch: Watch | null = null;
  let unfollow = async (): Promise<void> => {};

  /** The first look at all sources may take long; nobody waits for it. What is new is found by a search soon after. */
  const startWatch = async ({ store, capture, search }: OpenHome): Promise<Watch | null> => {
    const tell = telling(search);
    unfollow = followStore(options.home, store.reader, tell);
    const started = await capture.watch(tell).catch(() => null);
    watch = started?.ok && 'close' in started.value ? started.value : null;
    emit({ topic: 'sources' });
    await readUnread(store, capture).catch(() => {});
    search.somethingNew();
    return watch;
  };
  const telling =
    (search: SearchEngine) =>
    (event: AppEvent): void => {
      emit(event);
      if (event.topic === 'session') search.somethingNew();
    };
  let soon: NodeJS.Timeout | undefined;
  const refresh = (): void => {
    if (importing()) soon = setTimeout(refresh, SOON_MS);
    else void watching.then((started) => started?.refresh());
  };
  const open = (passphrase?: string): Promise<Result<OpenHome>> => {
    opening ??= openHome(options, keychain, importing, passphrase)
      .catch((thrown): Result<OpenHome> => ({ ok: false, error: toAppError(thrown) }))
      .then((result) => {
        if (!result.ok) opening = null;
        else if (options.watch) watching = startWatch(result.value);
        return result;
      });
    return opening;
  };
  return {
    open,
    watching: () => watch !== null,
    sourcesChanged: () => {
      clearTimeout(soon);
      if (options.watch) soon = setTimeout(refresh, SOON_MS);
    },
    close: async () => {
      clearTimeout(soon);
      const home = await opening;
      await unfollow();
      await watch?.close();
      // ends a first look that still runs, however much it has to read
      if (home?.ok) {
        await home.value.search.close();
        await home.value.store.close();
      }
      await (await watching)?.close();
    },
  };
}

/** A store that was there once is never taken for a new, empty one. Null = it is there, or was not made yet. */
async function storeGone(home: string): Promise<Result<never> | null> {
  const [file, store] = await Promise.all([readHomeFile(home), stat(storePath(home)).catch(() => null)]);
  if (!file.ok) return file;
  if (file.value?.recovery !== undefined || (store !== null && store.size > 0)) return null;
  const what = store === null ? 'is gone' : 'is empty';
  return fail(
    'store_corrupt',
    `${storePath(home)} ${what}. Restore it from a backup; or, to begin anew, move ${home} away and run \`sessionctl init\`.`,
    { path: storePath(home) },
  );
}

async function openHome(
  options: EngineOptions,
  keychain: SecretStore,
  importing: () => boolean,
  passphrase?: string,
): Promise<Result<OpenHome>> {
  const secret = passphrase ?? options.passphrase ?? options.agents.env.SESSIONCTL_PASSPHRASE;
  const keys = await openKeys({ home: options.home, keychain }, secret);
  if (!keys.ok) return keys;
  const gone = await storeGone(options.home);
  if (gone !== null) return gone;
  const store = await openStore({ home: options.home, key: keys.value.store, signingKey: keys.value.signing });
  if (!store.ok) return store;
  const capture = createCapture(store.value, { agents: options.agents, redactionKey: keys.value.redaction });
  const search = createSearch({ home: options.home, key: keys.value.store, store: store.value, importing });
  return ok({ keys: keys.value, store: store.value, capture: withUnread(store.value, capture), search });
}
