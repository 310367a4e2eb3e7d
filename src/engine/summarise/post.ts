import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Endpoint } from './endpoint.ts';

const MOST_BYTES = 1 << 20;

export type Answer = { ok: true; value: unknown } | { ok: false; why: string };

/**
 * Sends one JSON request to the endpoint and to no other: no redirect is followed and no proxy of the environment taken.
 * `why` is ours; nothing of what a server says gets into it.
 */
export async function postJson(
  { url, isLocal }: Endpoint,
  headers: Record<string, string>,
  body: unknown,
  signal: AbortSignal,
): Promise<Answer> {
  const text = JSON.stringify(body);
  const isPlain = url.protocol === 'http:';
  const agent = isPlain ? new HttpAgent() : new HttpsAgent();
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = (isPlain ? httpRequest : httpsRequest)(url, {
        method: 'POST',
        agent,
        signal,
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json',
          'content-length': String(Buffer.byteLength(text)),
        },
        ...(isLocal ? { lookup: thisMachine } : {}),
      });
      asked.on('response', resolve).on('error', reject);
      asked.end(text);
    });
    return await read(response);
  } catch (error) {
    return { ok: false, why: signal.aborted ? timedOut(signal) : unreachable(error) };
  } finally {
    agent.destroy();
  }
}

/** `localhost` is what it says, whatever a resolver would answer. */
const thisMachine: LookupFunction = (_host, options, done) => {
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  if (options.all === true) done(null, addresses);
  else done(null, '127.0.0.1', 4);
};

async function read(response: IncomingMessage): Promise<Answer> {
  const { statusCode = 0 } = response;
  if (statusCode >= 300 && statusCode < 400) {
    response.destroy();
    return { ok: false, why: 'it answered with a redirect, which is not followed' };
  }
  if (statusCode !== 200) {
    response.destroy();
    return { ok: false, why: `it answered with the status ${statusCode}` };
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) {
      response.destroy();
      return { ok: false, why: `its answer is longer than ${MOST_BYTES} bytes` };
    }
    chunks.push(chunk);
  }
  try {
    return { ok: true, value: JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown };
  } catch {
    return { ok: false, why: 'its answer is no JSON' };
  }
}

const timedOut = (signal: AbortSignal): string =>
  (signal.reason as Error | undefined)?.name === 'TimeoutError' ? 'it gave no answer in time' : 'it was cancelled';

function unreachable(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return `it cannot be reached${typeof code === 'string' && /^[A-Z_]{2,40}$/.test(code) ? ` (${code})` : ''}`;
}
