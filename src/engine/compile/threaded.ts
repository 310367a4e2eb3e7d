import { Worker } from 'node:worker_threads';
import { toAppError } from '../../shared/errors.ts';
import type { Store } from '../store/contract.ts';
import { RpcClient } from '../store/rpc.ts';
import { workerUrl } from '../worker-url.ts';
import { type Compiler, compilerOf } from './compiler.ts';

/** The compiler's methods as a thread serves them. */
type Served = { [M in 'page' | 'passages' | 'files']: Compiler[M] };

/** So long a thread waits for the next page: whoever moves a budget up and down does not load the tokenizer each time. */
const IDLE_MS = 60_000;

/**
 * Compiles in a thread of its own: loading the tokenizer and counting take longer than a window may stand still. The thread is
 * started by the first call, and ends when nobody has asked for a while, or with the store.
 */
class Thread implements Compiler {
  readonly #store: Store;
  #started: { worker: Worker; client: RpcClient<Served> } | null = null;
  #idle: NodeJS.Timeout | undefined;
  #users = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  page: Compiler['page'] = (page) => this.#client().call('page', page);
  passages: Compiler['passages'] = (page) => this.#client().call('passages', page);
  files: Compiler['files'] = (session, at) => this.#client().call('files', session, at);

  open(): this {
    this.#users++;
    clearTimeout(this.#idle);
    return this;
  }

  async close(): Promise<void> {
    if (--this.#users > 0) return;
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
  }

  /** Whoever asks while the thread ends gets a new one. */
  #end(): void {
    const started = this.#started;
    this.#started = null;
    void started?.worker.terminate();
  }

  #client(): RpcClient<Served> {
    if (this.#started) return this.#started.client;
    const port = this.#store.connect();
    const worker = new Worker(workerUrl(import.meta.url, './compile-worker.ts'), {
      workerData: port,
      transferList: [port],
      name: 'compile',
    });
    const client = new RpcClient<Served>(worker);
    worker.on('error', (thrown) => client.fail(toAppError(thrown)));
    worker.on('exit', () => {
      client.fail({ code: 'internal', message: 'The thread that compiles ended early.' });
      if (this.#started?.worker === worker) this.#started = null;
    });
    // nobody waits for it when all else has ended
    worker.unref();
    this.#started = { worker, client };
    return client;
  }
}

const threads = new WeakMap<Store, Thread>();

function threadOf(store: Store): Thread {
  const thread = threads.get(store) ?? new Thread(store);
  threads.set(store, thread);
  return thread.open();
}

/** Runs `use` with a compiler: in this thread where nobody looks on (`cli`), else in one of its own. */
export async function withCompiler<T>(store: Store, host: string, use: (compiler: Compiler) => Promise<T>): Promise<T> {
  const compiler = host === 'cli' ? compilerOf(store.reader) : threadOf(store);
  try {
    return await use(compiler);
  } finally {
    await compiler.close();
  }
}
