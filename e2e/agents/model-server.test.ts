import { zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANSWER, type ModelServer, startModelServer } from './model-server.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { method: 'POST', body, headers });

describe('the scripted model', () => {
  it('streams an answer of the Messages API and keeps the request', async () => {
    const response = await post('/v1/messages', JSON.stringify({ model: 'm', stream: true, messages: [] }));
    const text = await response.text();
    expect(text).toContain(ANSWER);
    expect(text).toContain('event: message_stop');
    expect(server.take()).toEqual([{ path: '/v1/messages', body: { model: 'm', stream: true, messages: [] } }]);
    expect(server.take()).toEqual([]);
  });

  it('answers in one piece when no stream is asked for', async () => {
    const response = await post('/v1/messages', JSON.stringify({ model: 'm' }));
    expect(await response.json()).toMatchObject({ role: 'assistant', content: [{ type: 'text', text: ANSWER }] });
    server.take();
  });

  it('reads bodies that are encoded with zstd', async () => {
    const body = new Uint8Array(zstdCompressSync(JSON.stringify({ input: [{ type: 'message' }] })));
    const response = await post('/v1/responses', body, { 'content-encoding': 'zstd' });
    expect(await response.text()).toContain('response.completed');
    expect(server.take()).toEqual([{ path: '/v1/responses', body: { input: [{ type: 'message' }] } }]);
  });

  it('notes a body that it cannot read', async () => {
    await expect(post('/v1/responses', 'x', { 'content-encoding': 'br' }).then((r) => r.text())).rejects.toThrow();
    expect(server.faults).toEqual([expect.stringContaining('unknown content-encoding br')]);
  });
});

describe('a script', () => {
  it.each([
    ['/v1/messages', { stream: true }, '"type":"tool_use"', '"stop_reason":"tool_use"'],
    ['/v1/messages', {}, '"type":"tool_use"', '"stop_reason":"tool_use"'],
    ['/v1/responses', {}, '"type":"function_call"', '"namespace":"mcp__s"'],
    ['/v1/chat/completions', { stream: true }, '"tool_calls":[', '"finish_reason":"tool_calls"'],
    ['/v1/chat/completions', {}, '"tool_calls":[', '"finish_reason":"tool_calls"'],
    ['/v1beta/models/g:streamGenerateContent', {}, '"functionCall":{"name":"find"', '"args":{"word":"a"}'],
  ])('makes the model call a tool over %s %o', async (path, body, call, more) => {
    const scripted = await startModelServer(async () => ({
      call: { name: 'find', namespace: 'mcp__s', args: { word: 'a' } },
    }));
    const response = await fetch(`${scripted.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
    const text = await response.text();
    expect(text).toContain(call);
    expect(text).toContain(more);
    expect(text).toMatch(/find/);
    await scripted.close();
  });
});
