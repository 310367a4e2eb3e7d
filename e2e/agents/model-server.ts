/**
 * A scripted model on 127.0.0.1: it answers every request of a real agent with one short text, or as a script says, and
 * keeps the bodies.
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

/** What the model answers: it says something, or calls a tool. */
export type Reply = { text: string } | { call: ToolCall };

export interface ToolCall {
  name: string;
  /** group of the tool, for clients that have it apart from the name (Codex) */
  namespace?: string;
  args: object;
}

/** Decides each answer of the model by the request. */
export type Script = (request: CapturedRequest) => Reply | Promise<Reply>;

/** Starts the server on a free loopback port. */
export async function startModelServer(script: Script = () => ({ text: ANSWER })): Promise<ModelServer> {
  let captured: CapturedRequest[] = [];
  const faults: string[] = [];
  const server = createServer((request, response) => {
    handle(request, response, captured, script).catch((error: unknown) => {
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

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  captured: CapturedRequest[],
  script: Script,
): Promise<void> {
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
  const reply = async (): Promise<Reply> => script({ path, body });
  if (path === '/v1/messages') answerMessages(response, body, await reply());
  else if (path === '/v1/messages/count_tokens') sendJson(response, 200, { input_tokens: 1000 });
  else if (path.endsWith('/responses')) answerResponses(response, body, await reply());
  else if (path.endsWith('/chat/completions')) answerChat(response, body, await reply());
  else if (path.endsWith(':countTokens')) sendJson(response, 200, { totalTokens: 1000 });
  else if (/:(?:stream)?[gG]enerateContent$/.test(path)) answerGemini(response, path, await reply());
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

function answerMessages(response: ServerResponse, body: unknown, reply: Reply): void {
  const id = `msg_lab${String(++answers).padStart(8, '0')}`;
  const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = { id, type: 'message', role: 'assistant', model: field(body, 'model'), stop_sequence: null, usage };
  const isCall = 'call' in reply;
  const tool = isCall ? { type: 'tool_use', id: `toolu_lab${answers}`, name: reply.call.name } : null;
  const stop_reason = isCall ? 'tool_use' : 'end_turn';
  if (field(body, 'stream') !== true) {
    const block = isCall ? { ...tool, input: reply.call.args } : { type: 'text', text: reply.text };
    sendJson(response, 200, { ...message, content: [block], stop_reason });
    return;
  }
  const send = openStream(response);
  const delta = isCall
    ? { type: 'input_json_delta', partial_json: JSON.stringify(reply.call.args) }
    : { type: 'text_delta', text: reply.text };
  send('message_start', { message: { ...message, content: [], stop_reason: null } });
  send('content_block_start', {
    index: 0,
    content_block: isCall ? { ...tool, input: {} } : { type: 'text', text: '' },
  });
  send('content_block_delta', { index: 0, delta });
  send('content_block_stop', { index: 0 });
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } });
  send('message_stop', {});
  response.end();
}

/** Codex's TUI asks for a thread title in JSON in a thread of its own; anything else gets the plain answer. */
function answerResponses(response: ServerResponse, body: unknown, reply: Reply): void {
  const wantsJson = JSON.stringify(field(body, 'text') ?? null).includes('json_schema');
  const number = String(++answers).padStart(8, '0');
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
  const item =
    'call' in reply && !wantsJson
      ? sendCall(send, number, reply.call)
      : sendMessage(send, number, wantsJson ? JSON.stringify({ title: TITLE }) : 'text' in reply ? reply.text : ANSWER);
  send('response.completed', { response: { ...head, status: 'completed', output: [item], usage } });
  response.end();
}

type Send = ReturnType<typeof openStream>;

function sendMessage(send: Send, number: string, text: string): object {
  const content = [{ type: 'output_text', text, annotations: [] }];
  const item = { id: `msg_lab${number}`, type: 'message', status: 'completed', role: 'assistant', content };
  send('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', content: [] } });
  send('response.output_text.delta', { item_id: item.id, output_index: 0, content_index: 0, delta: text });
  send('response.output_item.done', { output_index: 0, item });
  return item;
}

function sendCall(send: Send, number: string, { name, namespace, args }: ToolCall): object {
  const item = {
    id: `fc_lab${number}`,
    type: 'function_call',
    status: 'completed',
    call_id: `call_lab${number}`,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: JSON.stringify(args),
  };
  send('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', arguments: '' } });
  send('response.output_item.done', { output_index: 0, item });
  return item;
}

function answerChat(response: ServerResponse, body: unknown, reply: Reply): void {
  const head = { id: `chatcmpl-lab${String(++answers).padStart(8, '0')}`, model: field(body, 'model'), created: 1 };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const said = 'call' in reply ? { content: null, tool_calls: [chatCall(reply.call)] } : { content: reply.text };
  const finish = 'call' in reply ? 'tool_calls' : 'stop';
  if (field(body, 'stream') !== true) {
    const choices = [{ index: 0, message: { role: 'assistant', ...said }, finish_reason: finish }];
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
  send(chunk(said, null));
  send({ ...chunk({}, finish), usage });
  response.end('data: [DONE]\n\n');
}

function chatCall({ name, args }: ToolCall): object {
  return { index: 0, id: `call_lab${answers}`, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

/** Gemini CLI also asks a small model whether it is the user's turn: any text will do. */
function answerGemini(response: ServerResponse, path: string, reply: Reply): void {
  const part =
    'call' in reply ? { functionCall: { name: reply.call.name, args: reply.call.args } } : { text: reply.text };
  const content = { role: 'model', parts: [part] };
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
