import type { AppEvent, Bridge, Input, Output, ProcedureName } from '../../shared/api.ts';
import { unwrap } from '../../shared/errors.ts';
import { connectHttp } from './http-bridge.ts';
import { connectPreload } from './preload-bridge.ts';

/** What the app knows of the engine: calls that give a value or throw AppFailure, and one stream of events. */
export interface Client {
  host: Bridge['host'];
  call<N extends ProcedureName>(name: N, input: Input<N>, signal?: AbortSignal): Promise<Output<N>>;
  subscribe(listener: (event: AppEvent) => void): () => void;
  artifactUrl(hash: string): string | null;
}

/** Wraps a bridge, so that a refused call is a thrown AppFailure, as react-query wants it. */
export function clientOf(bridge: Bridge): Client {
  return {
    host: bridge.host,
    async call(name, input, signal) {
      return unwrap(await bridge.call(name, input, signal));
    },
    subscribe: (listener) => bridge.subscribe(listener),
    artifactUrl: (hash) => bridge.artifactUrl(hash),
  };
}

/** The bridge of the host: Electron's preload where it is, else HTTP and a WebSocket to where the page came from. */
export const connect = (): Client => clientOf(window.sessionctl ? connectPreload(window.sessionctl) : connectHttp());
