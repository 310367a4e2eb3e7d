import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, type EngineOptions, openEngine } from '../engine/engine.ts';
import { laySample } from '../engine/sample.ts';
import type { AppEvent } from '../shared/api.ts';
import { ok, type Result, unwrap } from '../shared/errors.ts';
import { VERSION } from '../shared/version.ts';
import type { Served } from './web/pages.ts';

/** What both hosts have in common: one engine, which may be swapped for one on sample data. */
export interface Host {
  served: Served;
  close(): Promise<void>;
}

export interface HostOptions extends Pick<EngineOptions, 'host' | 'openTerminal'> {
  /** begin on sample sessions in a temporary home */
  sample: boolean;
}

/** An engine and what must go when it is closed. */
interface Opened {
  engine: Engine;
  home: string;
  remove(): Promise<void>;
}

/**
 * Makes the engine of the user's home, or one on sample data. A home that is not initialised or cannot be opened is no
 * failure here: the calls say so, and the app shows its first run or what to do.
 */
export async function openHost(options: HostOptions): Promise<Host> {
  const listeners = new Set<(event: AppEvent) => void>();
  const tell = (event: AppEvent): void => {
    for (const listener of listeners) listener(event);
  };
  const use = (opened: Opened): Opened => {
    opened.engine.subscribe(tell);
    return opened;
  };
  let switching: Promise<Opened> | null = null;
  const toSample = async (): Promise<Result<{ home: string }>> => {
    // asked twice at once, there is one sample
    switching ??= openSample(options);
    const [before, opening] = [current, switching];
    try {
      const opened = await opening;
      if (current === before) {
        current = use(opened);
        // the call that asked for it still runs in the old engine
        setImmediate(() => void end(before).catch(() => undefined));
        tell({ topic: 'sources' });
      }
      return ok({ home: opened.home });
    } finally {
      if (switching === opening) switching = null;
    }
  };
  let current = use(options.sample ? await openSample(options) : openOwn({ ...options, makeSample: toSample }));
  return {
    served: {
      call: (name, input, signal) => current.engine.call(name, input, signal),
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    close: async () => {
      await switching?.catch(() => undefined);
      await end(current);
    },
  };
}

async function end({ engine, remove }: Opened): Promise<void> {
  await engine.close().finally(remove);
}

function openOwn(options: Pick<EngineOptions, 'host' | 'openTerminal' | 'makeSample'>): Opened {
  const home = process.env.SESSIONCTL_HOME || join(homedir(), '.sessionctl');
  const agents = { home: homedir(), env: process.env };
  return {
    engine: openEngine({ ...options, home, agents, version: VERSION, watch: true }),
    home,
    remove: async () => {},
  };
}

/** All that programs need to run. Agents name folders of the user by variables of their own, which a sample must not follow. */
const SYSTEM_VARIABLES = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TEMP', 'SystemRoot', 'PATHEXT'];

const only = (env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv =>
  Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));

/** An engine whose agents live in a temporary home with sample sessions; removed when the host closes. */
async function openSample(options: Pick<EngineOptions, 'host' | 'openTerminal'>): Promise<Opened> {
  const home = await mkdtemp(join(tmpdir(), 'sessionctl-sample-'));
  const { host, openTerminal } = options;
  const env = { ...only(process.env, SYSTEM_VARIABLES), HOME: home };
  const engine = openEngine({
    host,
    ...(openTerminal ? { openTerminal } : {}),
    home: join(home, '.sessionctl'),
    agents: { home, env },
    version: VERSION,
    sample: true,
    watch: true,
  });
  const opened = { engine, home, remove: () => rm(home, { recursive: true, force: true }) };
  try {
    await laySample(home);
    await mkdir(join(home, '.codex'), { recursive: true });
    // a key file: sample data is no secret, and a keychain entry for it would outlive it
    unwrap(await engine.call('app.init', { keyfile: true }));
    for (const agent of ['claude', 'codex']) unwrap(await engine.call('sources.set', { agent, enabled: true }));
    unwrap(await engine.call('import.start', {}));
    return opened;
  } catch (thrown) {
    await end(opened).catch(() => undefined);
    throw thrown;
  }
}
