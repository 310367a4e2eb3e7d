import type { AppEvent, Bridge, Envelope, ProcedureName } from '../../shared/api.ts';
import { fail } from '../../shared/errors.ts';

const RETRY_MS = [200, 500, 1000, 2000, 5000];

/** The web host's bridge: POST /api/<name>, events as JSON over the WebSocket /api/events, artifacts by URL. */
export function connectHttp(): Bridge {
  const events = eventStream();
  return {
    host: 'web',
    async call<N extends ProcedureName>(name: N, input: unknown, signal?: AbortSignal): Promise<Envelope<N>> {
      try {
        const response = await fetch(`/api/${name}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(input),
          credentials: 'same-origin',
          ...(signal ? { signal } : {}),
        });
        return (await response.json()) as Envelope<N>;
      } catch (thrown) {
        if (signal?.aborted) return fail('cancelled', 'Stopped.');
        return fail(
          'internal',
          `No answer from sessionctl: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
        );
      }
    },
    subscribe: events.subscribe,
    artifactUrl: (hash) => `/artifact/${encodeURIComponent(hash)}`,
  };
}

/** One socket for all listeners, opened with the first and closed with the last; it comes back by itself. */
function eventStream() {
  const listeners = new Set<(event: AppEvent) => void>();
  let socket: WebSocket | null = null;
  let attempts = 0;
  let wasOpen = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const tell = (event: AppEvent): void => {
    for (const listener of listeners) listener(event);
  };
  const open = () => {
    const url = new URL('/api/events', window.location.href);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const opened = new WebSocket(url);
    socket = opened;
    opened.onopen = () => {
      attempts = 0;
      if (wasOpen) tell({ topic: 'missed' });
      wasOpen = true;
    };
    opened.onmessage = (message) => tell(JSON.parse(String(message.data)) as AppEvent);
    opened.onclose = () => {
      if (socket !== opened) return;
      socket = null;
      if (listeners.size === 0) return;
      timer = setTimeout(open, RETRY_MS[Math.min(attempts, RETRY_MS.length - 1)]);
      attempts += 1;
    };
  };
  const close = () => {
    clearTimeout(timer);
    wasOpen = false;
    const closing = socket;
    socket = null;
    closing?.close();
  };

  return {
    subscribe(listener: (event: AppEvent) => void): () => void {
      listeners.add(listener);
      if (listeners.size === 1) open();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) close();
      };
    },
  };
}
