import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { type AppError, AppFailure, ok, type Result, toAppError } from '../../shared/errors.ts';
import type { SessionEvent } from '../../shared/events.ts';
import { workerUrl } from '../worker-url.ts';
import type { Decision, Store, StoreOptions, StoreReader, StoreWriter } from './contract.ts';
import { type EventChunk, eventsOf, pickedOf } from './event-chunk.ts';
import { RENEW_MS } from './leases.ts';
import { RpcClient } from './rpc.ts';
import type { StoreService, StoreServiceOptions } from './store-service.ts';

type Client = RpcClient<ReturnType<StoreService['clientMethods']>>;

const BUSY_MS = 5000;

/** Most events that one call gives; longer reads use `stream`. */
const MAX_EVENTS = 1000;

/**
 * Opens the store of a home, making it when there is none. Errors: key_wrong, store_corrupt, store_version_too_new,
 * store_busy, store_full, store_read_only; none of them changes anything on disk.
 */
export async function openStore({ home, key, signingKey, busyMs = BUSY_MS }: StoreOptions): Promise<Result<Store>> {
  const data: StoreServiceOptions = { home, key, signingKey, busyMs };
  const worker = new Worker(workerUrl(import.meta.url, './store-worker.ts'), { workerData: data, name: 'store' });
  const opened = await new Promise<{ opened: true } | { opened: false; error: AppError }>((resolve) => {
    worker.once('message', resolve);
    worker.once('error', (thrown) => resolve({ opened: false, error: toAppError(thrown) }));
  });
  if (!opened.opened) {
    await worker.terminate();
    return { ok: false, error: opened.error };
  }
  return ok(storeOf(worker));
}

function storeOf(worker: Worker): Store {
  const client: Client = new RpcClient(worker);
  let closing: Promise<void> | null = null;
  worker.on('error', (thrown) => client.fail(toAppError(thrown)));
  worker.on('exit', () => client.fail({ code: 'internal', message: 'The store was closed. Open it again.' }));
  const leases = new Set<() => Promise<void>>();
  const close = async () => {
    for (const release of leases) await release();
    await client.call('close').catch(() => {});
    await worker.terminate();
  };
  return {
    reader: readerOf(client),
    writer: writerOf(client, leases),
    connect: () => connect(worker),
    backup: (path) => asResult(client.call('backup', path)),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function connect(worker: Worker): MessagePort {
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ connect: port1 }, [port1]);
  return port2;
}

/** The reading half over any port that serves the store's read methods. */
type Reading = Pick<RpcClient<ReturnType<StoreService['captureMethods']>>, 'call'>;

/** Also used by capture workers, over their own port. */
export function readerOf(rpc: Reading): StoreReader {
  const flat = async (chunks: Promise<EventChunk[]>) => (await chunks).flatMap(eventsOf);
  return {
    stats: () => rpc.call('stats'),
    sessions: (query) => rpc.call('sessions', query),
    session: (id) => rpc.call('session', id),
    find: (handle) => rpc.call('find', handle),
    lineage: (id) => rpc.call('lineage', id),
    index: (id) => rpc.call('index', id),
    events: (id, from, limit) => flat(rpc.call('events', id, from, Math.min(limit, MAX_EVENTS))),
    eventsAt: (id, seqs) => flat(rpc.call('eventsAt', id, seqs)),
    stream: (id, from = 0) => stream(rpc, 'chunk', id, from),
    log: (id) => stream(rpc, 'ownChunk', id, 0),
    inherited: (id) => rpc.call('inherited', id),
    pick: (id, seqs) => pick(rpc, id, seqs),
    artifact: (ref) => rpc.call('artifact', ref),
    sourceStates: (agent) => rpc.call('sourceStates', agent),
    sourceState: (path) => rpc.call('sourceState', path),
    enabledSources: () => rpc.call('enabledSources'),
    manifest: (id) => rpc.call('manifest', id),
    verify: (id) => rpc.call('verify', id),
    receipts: (query) => rpc.call('receipts', query),
    receipt: (id) => rpc.call('receipt', id),
    operation: (id) => rpc.call('operation', id),
    setting: (key) => rpc.call('setting', key),
    unknownRecords: () => rpc.call('unknownRecords'),
  };
}

/** Asks for the next stretch while the caller works on this one, never further ahead. */
async function* stream(
  rpc: Reading,
  chunks: 'chunk' | 'ownChunk',
  id: string,
  from: number,
): AsyncGenerator<SessionEvent[]> {
  let asked = rpc.call(chunks, id, from);
  for (;;) {
    const chunk = (await asked)[0];
    if (chunk === undefined) return;
    asked = rpc.call(chunks, id, chunk.first + chunk.lens.length);
    asked.catch(() => {});
    yield eventsOf(chunk);
  }
}

/** Most events of one stretch, and so of one answer. */
const STRETCH = 512;

/** As `stream`. How many events of an answer's stretch are wanted is known when it comes. */
async function* pick(rpc: Reading, id: string, seqs: Uint32Array): AsyncGenerator<SessionEvent[]> {
  const ask = (from: number) => rpc.call('pick', id, seqs.slice(from, from + STRETCH));
  if (seqs.length === 0) return;
  let asked = ask(0);
  for (let next = 0; next < seqs.length; ) {
    const picked = await asked;
    if (picked === null) throw missing(id, seqs[next] as number);
    next += picked.lens.length;
    if (next < seqs.length) {
      asked = ask(next);
      asked.catch(() => {});
    }
    yield pickedOf(picked);
  }
}

function missing(id: string, seq: number): AppFailure {
  const message = `The session ${id} has no event ${seq} in the store. Run \`sessionctl verify\`.`;
  return new AppFailure({ code: 'store_corrupt', message, details: { session: id, seq } });
}

function writerOf(client: Client, leases: Set<() => Promise<void>>): StoreWriter {
  return {
    decide: (decision: Decision) => asResult(client.call('decide', decision)),
    setSourceEnabled: (agent, enabled) => asResult(client.call('setSourceEnabled', agent, enabled)),
    lease: (name) => asResult(lease(client, leases, name)),
  };
}

async function lease(client: Client, leases: Set<() => Promise<void>>, name: string) {
  const taken = await client.call('takeLease', name);
  if ('heldBy' in taken) return taken;
  const timer = setInterval(() => void client.call('renewLease', name, taken.token).catch(() => {}), RENEW_MS);
  timer.unref();
  const release = async () => {
    leases.delete(release);
    clearInterval(timer);
    await client.call('releaseLease', name, taken.token).catch(() => {});
  };
  leases.add(release);
  return { release };
}

async function asResult<T>(call: Promise<T>): Promise<Result<T>> {
  try {
    return ok(await call);
  } catch (thrown) {
    if (thrown instanceof AppFailure) return { ok: false, error: thrown.error };
    return { ok: false, error: toAppError(thrown) };
  }
}
