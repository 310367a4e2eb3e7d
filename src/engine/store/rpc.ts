import type { Transferable } from 'node:worker_threads';
import { type AppError, AppFailure, toAppError } from '../../shared/errors.ts';

/** Calls between threads: requests and replies by number over one port, errors as AppError. */

/** What Worker, MessagePort and parentPort have in common. */
export interface Port {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void;
  on(event: 'message' | 'close', listener: (message: unknown) => void): unknown;
}

interface Call {
  call: number;
  method: string;
  args: unknown[];
}
type Reply = { reply: number; value: unknown } | { reply: number; error: AppError };

/** A table of methods as the serving side has them; they may answer at once or later. */
// biome-ignore lint/suspicious/noExplicitAny: arguments of any method are accepted; callers are typed by the table
export type Methods = Record<string, (...args: any[]) => unknown>;

/** A reply whose buffers are handed over instead of copied. */
export class Moved<T> {
  readonly value: T;
  readonly buffers: readonly Transferable[];
  constructor(value: T, buffers: readonly Transferable[]) {
    this.value = value;
    this.buffers = buffers;
  }
}

type Answer<F> = F extends (...args: never[]) => infer R ? (Awaited<R> extends Moved<infer T> ? T : Awaited<R>) : never;

/** The calling side. */
export class RpcClient<M extends Methods> {
  private readonly port: Port;
  private readonly open = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  private next = 1;
  private failure: AppFailure | null = null;

  constructor(port: Port) {
    this.port = port;
    port.on('message', (message) => this.onMessage(message));
  }

  call<K extends keyof M & string>(method: K, ...args: Parameters<M[K]>): Promise<Answer<M[K]>> {
    if (this.failure !== null) return Promise.reject(this.failure);
    const call = this.next++;
    return new Promise((resolve, reject) => {
      this.open.set(call, { resolve: resolve as (value: unknown) => void, reject });
      this.port.postMessage({ call, method, args } satisfies Call);
    });
  }

  /** Fails all calls, those under way and those to come. */
  fail(error: AppError): void {
    this.failure = new AppFailure(error);
    for (const { reject } of this.open.values()) reject(this.failure);
    this.open.clear();
  }

  private onMessage(message: unknown): void {
    if (!isReply(message)) return;
    const waiting = this.open.get(message.reply);
    if (waiting === undefined) return;
    this.open.delete(message.reply);
    if ('error' in message) waiting.reject(new AppFailure(message.error));
    else waiting.resolve(message.value);
  }
}

/** The serving side. Messages that are no calls are left to others; `toError` knows what may be thrown here. */
export function serve(port: Port, methods: Methods, toError: (thrown: unknown) => AppError = toAppError): void {
  port.on('message', (message) => {
    if (!isCall(message)) return;
    const method = Object.hasOwn(methods, message.method) ? methods[message.method] : undefined;
    const answer = async () => {
      if (method === undefined) throw new Error(`there is no method ${message.method}`);
      return await method(...message.args);
    };
    answer().then(
      (value) => reply(port, message.call, value),
      (thrown) => port.postMessage({ reply: message.call, error: toError(thrown) } satisfies Reply),
    );
  });
}

function reply(port: Port, call: number, value: unknown): void {
  if (value instanceof Moved) port.postMessage({ reply: call, value: value.value } satisfies Reply, value.buffers);
  else port.postMessage({ reply: call, value } satisfies Reply);
}

const isObject = (message: unknown): message is object => typeof message === 'object' && message !== null;
const isCall = (message: unknown): message is Call => isObject(message) && 'call' in message && 'method' in message;
const isReply = (message: unknown): message is Reply => isObject(message) && 'reply' in message;
