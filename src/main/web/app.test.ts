import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { AppEvent } from '../../shared/api.ts';
import { ok } from '../../shared/errors.ts';
import type { Served } from './pages.ts';
import { startWeb, type WebHost } from './server.ts';

const listeners = new Set<(event: AppEvent) => void>();
const calls: { name: string; input: unknown }[] = [];
const served: Served = {
  call: (async (name: string, input: unknown) => {
    calls.push({ name, input });
    if (name === 'artifacts.get')
      return ok({ media_type: 'text/html', base64: Buffer.from('<script>1</script>').toString('base64') });
    return ok([]);
  }) as Served['call'],
  subscribe: (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

let assets = '';
let web: WebHost;
let cookie = '';

beforeAll(async () => {
  assets = await mkdtemp(join(tmpdir(), 'sessionctl-assets-'));
  await writeFile(join(assets, 'index.html'), '<!doctype html><title>app</title>');
  const started = await startWeb(served, { assets });
  if (!started.ok) throw new Error(started.error.message);
  web = started.value;
});
afterAll(async () => {
  await web.close();
  await rm(assets, { recursive: true });
});

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

function ask(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { host: `127.0.0.1:${web.port}`, ...options.headers };
    const req = request(
      { port: web.port, host: '127.0.0.1', path, method: options.method ?? 'GET', headers },
      (res) => {
        let body = '';
        res.on('data', (chunk) => {
          body += chunk;
        });
        res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body }));
      },
    );
    req.on('error', reject);
    req.end(options.body);
  });
}

describe('web host', () => {
  it('lets nobody in without the printed address, and the address works once', async () => {
    expect((await ask('/')).status).toBe(401);
    expect((await ask('/?token=wrong')).status).toBe(401);
    const { pathname, search } = new URL(web.url);
    const first = await ask(pathname + search);
    expect(first.status).toBe(303);
    const setCookie = String(first.headers['set-cookie']);
    expect(setCookie).toMatch(/HttpOnly; SameSite=Strict/);
    cookie = setCookie.split(';')[0] ?? '';
    expect((await ask(pathname + search)).status).toBe(401);
    expect((await ask('/', { headers: { cookie } })).body).toContain('<title>app</title>');
  });

  it('refuses other host names and other origins, even with the cookie', async () => {
    expect((await ask('/', { headers: { cookie, host: 'evil.example' } })).status).toBe(421);
    expect((await ask('/', { headers: { cookie, host: `127.0.0.1.evil.example:${web.port}` } })).status).toBe(421);
    expect((await ask('/', { headers: { cookie, origin: 'http://evil.example' } })).status).toBe(403);
  });

  it('answers procedures of the contract and no others', async () => {
    const json = { cookie, 'content-type': 'application/json', origin: `http://127.0.0.1:${web.port}` };
    const good = await ask('/api/sources.list', { method: 'POST', headers: json, body: '{}' });
    expect([good.status, JSON.parse(good.body)]).toEqual([200, { ok: true, value: [] }]);
    expect((await ask('/api/constructor', { method: 'POST', headers: json, body: '{}' })).status).toBe(404);
    expect((await ask('/api/sources.list', { method: 'POST', headers: json, body: '{' })).status).toBe(400);
    const form = { ...json, 'content-type': 'text/plain' };
    expect((await ask('/api/sources.list', { method: 'POST', headers: form, body: '{}' })).status).toBe(415);
    expect(
      (await ask('/api/sources.list', { method: 'POST', headers: json, body: `"${'x'.repeat(5 << 20)}"` })).status,
    ).toBe(413);
  });

  it('sends a strict policy and never runs stored bytes in its own origin', async () => {
    const page = await ask('/', { headers: { cookie } });
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    const artifact = await ask('/artifact/abc', { headers: { cookie } });
    expect([artifact.headers['content-type'], artifact.headers['content-disposition']]).toEqual([
      'application/octet-stream',
      'attachment',
    ]);
  });

  it('gives routes the page, and nothing outside its folder', async () => {
    expect((await ask('/s/sess_1', { headers: { cookie } })).body).toContain('<title>app</title>');
    expect((await ask('/..%2f..%2fetc%2fpasswd.html', { headers: { cookie } })).body).not.toContain('root:');
    expect((await ask('/%2e%2e/secret.json', { headers: { cookie } })).body).not.toContain('secret');
    expect((await ask('/%E0%A4%A', { headers: { cookie } })).status).toBe(200);
  });

  it('pushes events to windows that were let in, and to no others', async () => {
    const url = `ws://127.0.0.1:${web.port}/api/events`;
    const refused = (options: object): Promise<number> =>
      new Promise((resolve) => {
        new WebSocket(url, options)
          .on('unexpected-response', (_req, res) => resolve(res.statusCode ?? 0))
          .on('error', () => {});
      });
    expect(await refused({ origin: `http://127.0.0.1:${web.port}` })).toBe(403);
    expect(await refused({ origin: 'http://evil.example', headers: { cookie } })).toBe(403);
    const socket = new WebSocket(url, { origin: `http://127.0.0.1:${web.port}`, headers: { cookie } });
    await new Promise((resolve) => socket.once('open', resolve));
    const message = new Promise((resolve) => socket.once('message', (data) => resolve(JSON.parse(String(data)))));
    for (const listener of listeners) listener({ topic: 'sources' });
    expect(await message).toEqual({ topic: 'sources' });
    socket.terminate();
  });

  it('survives clients that reset a refused connection or send what is no frame', async () => {
    const closed = (socket: Socket): Promise<void> =>
      new Promise((resolve) =>
        socket
          .resume()
          .on('error', () => undefined)
          .on('close', () => resolve()),
      );
    const open = async (...headers: string[]): Promise<Socket> => {
      const socket = connect(web.port, '127.0.0.1');
      await once(socket, 'connect');
      const host = `127.0.0.1:${web.port}`;
      const asked = [
        'GET /api/events HTTP/1.1',
        `Host: ${host}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        ...headers,
      ];
      socket.write(`${asked.join('\r\n')}\r\n\r\n`);
      return socket;
    };
    const [refused, abandoned] = [await open(), await open()];
    abandoned.resetAndDestroy();
    await closed(refused);
    const key = Buffer.alloc(16).toString('base64');
    const origin = `http://127.0.0.1:${web.port}`;
    const admitted = await open(
      `Origin: ${origin}`,
      `Cookie: ${cookie}`,
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${key}`,
    );
    await once(admitted, 'data');
    admitted.write(Buffer.from([0xff, 0xff, 0xff, 0xff]));
    await closed(admitted);
    expect((await ask('/', { headers: { cookie } })).status).toBe(200);
  });

  it('says in words when its port is taken', async () => {
    const second = await startWeb(served, { assets, port: web.port });
    expect(second).toMatchObject({
      ok: false,
      error: { code: 'write_failed', message: expect.stringContaining('--port') },
    });
  });
});
