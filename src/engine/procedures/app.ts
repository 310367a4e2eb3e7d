import type { AppInfo, Output } from '../../shared/api.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import { readHomeFile } from '../keys/home-file.ts';
import { initKeys, NO_KEYS, recoveryShown } from '../keys/keys.ts';
import type { EngineContext, HandlersOf } from './context.ts';

/** The app itself: what is installed, the state of the store and its key, first run. */
export const appProcedures: HandlersOf<'app.info' | 'app.init' | 'sample.start'> = {
  'app.info': (context) => info(context),
  'app.init': (context, input) => init(context, input),
  'sample.start': async (context) => {
    const make = context.options.makeSample;
    return make
      ? make()
      : fail('target_unsupported', 'Sample data is not offered here. Start it: `npm start -- --sample`.');
  },
};

/** Errors: those of a store that is there but cannot be opened; never "no store". */
async function info(context: EngineContext): Promise<Result<AppInfo>> {
  const { options } = context;
  const file = await readHomeFile(options.home);
  if (!file.ok) return file;
  const common = {
    version: options.version,
    host: options.host,
    platform: process.platform,
    home: options.home,
    sample: options.sample ?? false,
    watching: context.watching(),
    agents: await context.agents.describe(),
  };
  if (!file.value) {
    return ok({ ...common, initialised: false, keys: NO_KEYS, sessions: 0, events: 0, store_bytes: 0 });
  }
  const home = await context.home();
  if (!home.ok) return home;
  const { sessions, events, bytes } = await home.value.store.reader.stats();
  return ok({ ...common, initialised: true, keys: home.value.keys.state, sessions, events, store_bytes: bytes });
}

/** First run. On an initialised home: unlocks it with the passphrase, or answers where its key is. */
async function init(
  context: EngineContext,
  input: { passphrase?: string | undefined; keyfile?: boolean | undefined },
): Promise<Result<Output<'app.init'>>> {
  const where = { home: context.options.home, keychain: context.keychain };
  const made = await initKeys(where, choiceOf(input));
  if (!made.ok) return made;
  const home = await context.home(input.passphrase);
  if (!home.ok) return home;
  await recoveryShown(context.options.home);
  return ok({ keys: made.value.state, ...(made.value.recoveryKey ? { recovery_key: made.value.recoveryKey } : {}) });
}

function choiceOf(input: { passphrase?: string | undefined; keyfile?: boolean | undefined }) {
  if (input.passphrase !== undefined) return { kind: 'passphrase', passphrase: input.passphrase } as const;
  return input.keyfile ? ({ kind: 'keyfile' } as const) : ({ kind: 'auto' } as const);
}
