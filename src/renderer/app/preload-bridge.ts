import type { Bridge, Envelope, Input, PreloadBridge, ProcedureName } from '../../shared/api.ts';

/** Electron's bridge: calls go by number, so that an abort reaches the engine. */
export function connectPreload(preload: PreloadBridge): Bridge {
  return {
    host: preload.host,
    async call<N extends ProcedureName>(name: N, input: Input<N>, signal?: AbortSignal): Promise<Envelope<N>> {
      const { id, answer } = preload.invoke(name, input);
      const cancel = (): void => preload.cancel(id);
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        return (await answer) as Envelope<N>;
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    },
    subscribe: (listener) => preload.subscribe(listener),
    artifactUrl: (hash) => preload.artifactUrl(hash),
  };
}
