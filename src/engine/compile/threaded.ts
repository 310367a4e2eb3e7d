import { Worker } from 'node:worker_threads';
import { toAppError } from '../../shared/errors.ts';
import type { Store } from '../store/contract.ts';
import { RpcClient } from '../store/rpc.ts';
import { workerUrl } from '../worker-url.ts';
import { type Compiler, compilerOf } from './compiler.ts';

/** The compiler's methods as a thread serves them. */
type Served = { [M in 'page' | 'passages' | 'files']: Compiler[M] };

/**
 * Compiles in a thread of its own: loading the tokenizer and counting take longer than a window may stand still. The thread is
 * started by the first call and ends with `close`.
 */
function threadOf(store: Store): Compiler {
  let started: { worker: Worker; client: RpcClient<Served> } | null = null;
  const client = (): RpcClient<Served> => {
    if (started) return started.client;
    const port = store.connect();
    const worker = new Worker(workerUrl(import.meta.url, './compile-worker.ts'), {
      workerData: port,
      transferList: [port],
      name: 'compile',
    });
    const rpc = new RpcClient<Served>(worker);
    worker.on('error', (thrown) => rpc.fail(toAppError(thrown)));
    worker.on('exit', () => rpc.fail({ code: 'internal', message: 'The thread that compiles ended early.' }));
    started = { worker, client: rpc };
    return rpc;
  };
  return {
    page: (page) => client().call('page', page),
    passages: (page) => client().call('passages', page),
    files: (session, at) => client().call('files', session, at),
    close: async () => {
      await started?.worker.terminate();
    },
  };
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
