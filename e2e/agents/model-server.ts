/**
 * A scripted model on 127.0.0.1: it answers every request of a real agent with one short text and keeps the bodies.
 *
 * It speaks the streaming protocols the agents need: Anthropic Messages (`POST /v1/messages`), OpenAI Responses
 * (`POST /v1/responses`), OpenAI Chat Completions (`POST /v1/chat/completions`) and Gemini (`POST …:streamGenerateContent`),
 * bodies also zstd or gzip encoded. Nothing is sent anywhere else.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';

/** One request as the agent sent it. `body` is the parsed JSON, or the raw text where it is no JSON. */
export interface CapturedRequest {
  path: string;
  body: unknown;
}

export interface ModelServer {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** Every request since the start or the last `take()`, oldest first. */
  take(): CapturedRequest[];
  /** The answers that could not be given (a broken body, an unknown encoding), for the report. */
  faults: string[];
  close(): Promise<void>;
}

/** What the model says to everything. */
export const ANSWER = 'Continuing.';
/** What it calls a conversation when it is asked for a title. */
export const TITLE = 'Continued session';

/** Starts the server on a free loopback port. */
export async function startModelServer(): Promise<ModelServer> {
  let captured: CapturedRequest[] = [];
  const faults: string[] = [];
  const server = createServer((request, response) => {
    handle(request, response, captured).catch((error: unknown) => {
      faults.push(`${request.method} ${request.url}: ${String(error)}`);
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    take: () => {
      const taken = captured.slice();
      captured.length = 0;
      return taken;
    },
    faults,
    close: async () => {
      captured = [];
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function handle(request: IncomingMessage, response: ServerResponse, captured: CapturedRequest[]): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.method !== 'POST') {
    sendJson(
      response,
      path === '/v1/models' ? 200 : 404,
      path === '/v1/models' ? { data: [], has_more: false } : NOT_FOUND,
    );
    return;
  }
  const body = parse(decoded(Buffer.concat(chunks), request.headers['content-encoding']));
  captured.push({ path, body });
  if (path === '/v1/messages') answerMessages(response, body);
  else if (path === '/v1/messages/count_tokens') sendJson(response, 200, { input_tokens: 1000 });
  else if (path.endsWith('/responses')) answerResponses(response, body);
  else if (path.endsWith('/chat/completions')) answerChat(response, body);
  else if (path.endsWith(':countTokens')) sendJson(response, 200, { totalTokens: 1000 });
  else if (/:(?:stream)?[gG]enerateContent$/.test(path)) answerGemini(response, path);
  else sendJson(response, 404, NOT_FOUND);
}

const NOT_FOUND = { type: 'error', error: { type: 'not_found_error', message: 'not found' } };

function decoded(bytes: Buffer, encoding: string | undefined): string {
  if (encoding === 'zstd') return zstdDecompressSync(bytes).toString('utf8');
  if (encoding === 'gzip') return gunzipSync(bytes).toString('utf8');
  if (encoding !== undefined && encoding !== 'identity') throw new Error(`unknown content-encoding ${encoding}`);
  return bytes.toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function field(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

function openStream(response: ServerResponse): (type: string, data: Record<string, unknown>) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  return (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
}

let answers = 0;

function answerMessages(response: ServerResponse, body: unknown): void {
  const id = `msg_lab${String(++answers).padStart(8, '0')}`;
  const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = { id, type: 'message', role: 'assistant', model: field(body, 'model'), stop_sequence: null, usage };
  if (field(body, 'stream') !== true) {
    sendJson(response, 200, { ...message, content: [{ type: 'text', text: ANSWER }], stop_reason: 'end_turn' });
    return;
  }
  const send = openStream(response);
  send('message_start', { message: { ...message, content: [], stop_reason: null } });
  send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  send('content_block_delta', { index: 0, delta: { type: 'text_delta', text: ANSWER } });
  send('content_block_stop', { index: 0 });
  send('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 5 } });
  send('message_stop', {});
  response.end();
}

/** Codex's TUI asks for a thread title in JSON in a thread of its own; anything else gets the plain answer. */
function answerResponses(response: ServerResponse, body: unknown): void {
  const wantsJson = JSON.stringify(field(body, 'text') ?? null).includes('json_schema');
  const text = wantsJson ? JSON.stringify({ title: TITLE }) : ANSWER;
  const content = [{ type: 'output_text', text, annotations: [] }];
  const number = String(++answers).padStart(8, '0');
  const item = { id: `msg_lab${number}`, type: 'message', status: 'completed', role: 'assistant', content };
  const head = { id: `resp_lab${number}`, object: 'response', model: field(body, 'model') };
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  };
  const send = openStream(response);
  send('response.created', { response: { ...head, status: 'in_progress' } });
  send('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', content: [] } });
  send('response.output_text.delta', { item_id: item.id, output_index: 0, content_index: 0, delta: text });
  send('response.output_item.done', { output_index: 0, item });
  send('response.completed', { response: { ...head, status: 'completed', output: [item], usage } });
  response.end();
}

function answerChat(response: ServerResponse, body: unknown): void {
  const head = { id: `chatcmpl-lab${String(++answers).padStart(8, '0')}`, model: field(body, 'model'), created: 1 };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  if (field(body, 'stream') !== true) {
    const message = { role: 'assistant', content: ANSWER };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    sendJson(response, 200, { ...head, object: 'chat.completion', choices, usage });
    return;
  }
  const send = openData(response);
  const chunk = (delta: object, finish_reason: string | null): object => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  });
  send(chunk({ role: 'assistant', content: '' }, null));
  send(chunk({ content: ANSWER }, null));
  send({ ...chunk({}, 'stop'), usage });
  response.end('data: [DONE]\n\n');
}

/** Gemini CLI also asks a small model whether it is the user's turn: any text will do. */
function answerGemini(response: ServerResponse, path: string): void {
  const content = { role: 'model', parts: [{ text: ANSWER }] };
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  const answer = { candidates: [{ index: 0, content, finishReason: 'STOP' }], usageMetadata };
  if (!path.endsWith(':streamGenerateContent')) {
    sendJson(response, 200, answer);
    return;
  }
  openData(response)(answer);
  response.end();
}

/** A stream of events without names. */
function openData(response: ServerResponse): (data: object) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  return (data) => response.write(`data: ${JSON.stringify(data)}\n\n`);
}
