import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import type { Bridge } from '../../shared/api.ts';

/** What a host serves: the engine's procedures and its events. */
export type Served = Pick<Bridge, 'call' | 'subscribe'>;

/** Nothing but our own files and our own socket; no inline script or style. */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every answer, in both hosts. */
export const SAFE_HEADERS: Record<string, string> = {
  'Content-Security-Policy': CSP,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.ico': 'image/x-icon',
};

/** Images an artifact may be shown as; everything else is a download, so that no stored bytes run in our origin. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

const FOREVER = 'private, max-age=31536000, immutable';

/**
 * A file of the built renderer; any other path is a route of the app and gets its page.
 * @param path as in the URL, percent-encoded
 */
export async function assetResponse(assets: string, path: string): Promise<Response> {
  const wanted = decode(path);
  const inside = join(assets, wanted);
  const isFile = extname(wanted) in TYPES && inside.startsWith(assets + sep);
  const file = isFile ? inside : join(assets, 'index.html');
  const bytes = await readFile(file).catch(() => null);
  if (bytes === null)
    return text(isFile ? 404 : 500, isFile ? 'Not found' : 'The app is not built. Run: npm run build');
  const headers = {
    ...SAFE_HEADERS,
    'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
    'Cache-Control': wanted.startsWith('assets') ? FOREVER : 'no-store',
  };
  return new Response(new Uint8Array(bytes), { headers });
}

/** The bytes of an artifact, by content hash. */
export async function artifactResponse(served: Served, hash: string): Promise<Response> {
  const result = await served.call('artifacts.get', { hash });
  if (!result.ok) return Response.json(result, { status: 404, headers: SAFE_HEADERS });
  const shown = SHOWN.has(result.value.media_type);
  const headers = {
    ...SAFE_HEADERS,
    'Content-Type': shown ? result.value.media_type : 'application/octet-stream',
    'Cache-Control': FOREVER,
    ...(shown ? {} : { 'Content-Disposition': 'attachment' }),
  };
  return new Response(new Uint8Array(Buffer.from(result.value.base64, 'base64')), { headers });
}

export function text(status: number, body: string): Response {
  return new Response(body, { status, headers: { ...SAFE_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' } });
}

function decode(path: string): string {
  try {
    return normalize(decodeURIComponent(path)).replace(/^[/\\]+/, '');
  } catch {
    return '';
  }
}
