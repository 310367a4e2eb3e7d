import type { IncomingMessage, Server } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { serve } from '@hono/node-server';
import { type WebSocket, WebSocketServer } from 'ws';
import { fail, ok, type Result } from '../../shared/errors.ts';
import { webApp } from './app.ts';
import type { Served } from './pages.ts';
import { SessionGate } from './session-gate.ts';

export interface WebHost {
  /** address with a one-time token, to open once */
  url: string;
  port: number;
  close(): Promise<void>;
}

/** A client that does not read is cut off rather than buffered for. */
const MAX_BUFFERED = 8 << 20;

/**
 * Serves the app on 127.0.0.1. Port 0 takes a free one.
 * Errors: `write_failed` when the port is taken or may not be used.
 */
export async function startWeb(
  served: Served,
  options: { port?: number; assets?: string } = {},
): Promise<Result<WebHost>> {
  let port = 0;
  const gate = new SessionGate(() => port);
  const assets = options.assets ?? join(import.meta.dirname, '..', 'renderer');
  const app = webApp(served, gate, assets);
  const listening = await listen(app.fetch, options.port ?? 0);
  if (!listening.ok) return listening;
  const { server } = listening.value;
  port = listening.value.port;
  const sockets = eventSockets(server, served, gate);
  return ok({
    url: `http://127.0.0.1:${port}/?token=${gate.issue()}`,
    port,
    close: async () => {
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

type Fetch = Parameters<typeof serve>[0]['fetch'];

function listen(fetch: Fetch, port: number): Promise<Result<{ server: Server; port: number }>> {
  return new Promise((resolve) => {
    const server = serve({ fetch, port, hostname: '127.0.0.1' }, (info) =>
      resolve(ok({ server: server as Server, port: info.port })),
    );
    server.on('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'another program uses it' : error.message;
      resolve(fail('write_failed', `Port ${port} cannot be used: ${why}. Choose another with --port.`));
    });
  });
}

/** One WebSocket a window: everything the engine tells, nothing the other way. */
function eventSockets(server: Server, served: Served, gate: SessionGate): { close(): void } {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024 });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // node hands the socket over without a listener: a client that resets it must not end the process
    socket.on('error', () => socket.destroy());
    const { host, origin, cookie } = request.headers;
    // browsers always send an origin with a WebSocket
    const mayPass =
      request.url === '/api/events' &&
      gate.hostAllowed(host) &&
      origin !== undefined &&
      gate.originAllowed(origin) &&
      gate.admits(cookie);
    // destroyed, or a client that never hangs up would keep the server from closing
    if (!mayPass) return socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n', () => socket.destroy());
    return sockets.handleUpgrade(request, socket, head, (client) => sockets.emit('connection', client));
  });
  // a frame that is too large or no frame at all
  sockets.on('connection', (client) => client.on('error', () => client.terminate()));
  const unsubscribe = served.subscribe((event) => {
    const text = JSON.stringify(event);
    for (const client of sockets.clients) send(client, text);
  });
  return {
    close: () => {
      unsubscribe();
      for (const client of sockets.clients) client.terminate();
      sockets.close();
    },
  };
}

function send(client: WebSocket, text: string): void {
  if (client.readyState !== client.OPEN) return;
  if (client.bufferedAmount > MAX_BUFFERED) client.terminate();
  else client.send(text);
}
