import type { AppEvent } from '../../shared/api.ts';
import { ok, type Result } from '../../shared/errors.ts';
import { createCapture } from '../capture/capture.ts';
import type { Watch } from '../capture/contract.ts';
import { openKeys } from '../keys/keys.ts';
import type { SecretStore } from '../keys/secret-store.ts';
import { openStore } from '../store/client.ts';
import type { EngineOptions, OpenHome } from './context.ts';

interface HomeHandle {
  open(passphrase?: string): Promise<Result<OpenHome>>;
  watching(): boolean;
  sourcesChanged(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the home once, at the first need, and follows the enabled sources when asked to. A failed try can be repeated. */
export function createHome(options: EngineOptions, keychain: SecretStore, emit: (event: AppEvent) => void): HomeHandle {
  let opening: Promise<Result<OpenHome>> | null = null;
  let watch: Watch | null = null;

  const startWatch = async ({ capture }: OpenHome): Promise<void> => {
    const started = await capture.watch(emit);
    if (started.ok && 'close' in started.value) watch = started.value;
  };
  const open = (passphrase?: string): Promise<Result<OpenHome>> => {
    opening ??= openHome(options, keychain, passphrase).then(async (result) => {
      if (!result.ok) opening = null;
      else if (options.watch) await startWatch(result.value);
      return result;
    });
    return opening;
  };
  return {
    open,
    watching: () => watch !== null,
    sourcesChanged: async () => {
      if (watch) await watch.refresh();
    },
    close: async () => {
      const home = await opening;
      await watch?.close();
      if (home?.ok) await home.value.store.close();
    },
  };
}

async function openHome(options: EngineOptions, keychain: SecretStore, passphrase?: string): Promise<Result<OpenHome>> {
  const secret = passphrase ?? options.passphrase ?? options.agents.env.SESSIONCTL_PASSPHRASE;
  const keys = await openKeys({ home: options.home, keychain }, secret);
  if (!keys.ok) return keys;
  const store = await openStore({ home: options.home, key: keys.value.store, signingKey: keys.value.signing });
  if (!store.ok) return store;
  const capture = createCapture(store.value, { agents: options.agents, redactionKey: keys.value.redaction });
  return ok({ keys: keys.value, store: store.value, capture });
}
