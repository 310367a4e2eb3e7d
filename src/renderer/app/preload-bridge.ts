import type { Bridge, Envelope, PreloadBridge, ProcedureName } from '../../shared/api.ts';
import { fail } from '../../shared/errors.ts';

declare global {
  interface Window {
    /** Set by the preload script in Electron; absent in a browser. */
    sessionctl?: PreloadBridge;
  }
}

/** Electron's bridge. An AbortSignal cannot cross into the preload, so its call is cancelled by number. */
export function connectPreload(preload: PreloadBridge): Bridge {
  return {
    host: preload.host,
    async call<N extends ProcedureName>(name: N, input: unknown, signal?: AbortSignal): Promise<Envelope<N>> {
      if (signal?.aborted) return fail('cancelled', 'Stopped.');
      const { id, answer } = preload.invoke(name, input);
      const cancel = () => preload.cancel(id);
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
