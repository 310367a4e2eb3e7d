import type { Engine } from '../engine/engine.ts';
import { orThrow, SessionctlError } from './error.ts';

/** What stands behind a Store; kept out of its type. */
export interface OpenStore {
  engine: Engine;
  /** aborted when the store is closed */
  closed: AbortController;
  /** set once somebody waits for events */
  following: Promise<() => Promise<void>> | null;
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

/** Sees to it that what other processes write is told by the engine's events. */
export async function follow(store: object): Promise<void> {
  const open = opened(store);
  open.following ??= open.engine.local.follow().then(orThrow);
  await open.following;
}

export async function close(store: object): Promise<void> {
  const open = stores.get(store);
  if (open === undefined || open.closed.signal.aborted) return;
  open.closed.abort();
  await (await open.following?.catch(() => undefined))?.();
  await open.engine.close();
}
