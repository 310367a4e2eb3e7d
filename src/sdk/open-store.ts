import type { Engine } from '../engine/engine.ts';
import { orThrow, SessionctlError } from './error.ts';

/** What stands behind a Store; kept out of its type. */
export interface OpenStore {
  engine: Engine;
  /** aborted when the store is closed */
  closed: AbortController;
  /** set once somebody waits for events: ends the look at what others write */
  following: Promise<() => Promise<void>> | null;
  /** called when anything was written, by whomever */
  listeners: Set<() => void>;
}

const stores = new WeakMap<object, OpenStore>();

export function keep(store: object, open: OpenStore): void {
  stores.set(store, open);
}

/** @throws SessionctlError `invalid_request` when the store is closed */
export function opened(store: object): OpenStore {
  const open = stores.get(store);
  if (open !== undefined && !open.closed.signal.aborted) return open;
  throw new SessionctlError({
    code: 'invalid_request',
    message: 'This store is closed. Open it again with Store.local().',
  });
}

export const engineOf = (store: object): Engine => opened(store).engine;

/** Calls back whenever anything was written to the store, by this process or another. Returns the function that ends it. */
export async function follow(store: object, onChange: () => void): Promise<() => void> {
  const open = opened(store);
  const { engine, listeners } = open;
  listeners.add(onChange);
  const unsubscribe = engine.subscribe(({ topic }) => topic === 'session' && onChange());
  const tellAll = (): void => {
    for (const tell of listeners) tell();
  };
  const end = (): void => {
    listeners.delete(onChange);
    unsubscribe();
  };
  open.following ??= engine.local.follow(tellAll).then(orThrow);
  const { following } = open;
  try {
    await following;
  } catch (error) {
    // the next one tries again
    if (open.following === following) open.following = null;
    end();
    throw error;
  }
  return end;
}

export async function close(store: object): Promise<void> {
  const open = stores.get(store);
  if (open === undefined || open.closed.signal.aborted) return;
  open.closed.abort();
  await (await open.following?.catch(() => undefined))?.();
  await open.engine.close();
}
