import type { ReadResourceResult, Resource, ResourceTemplate } from '@modelcontextprotocol/sdk/types.js';
import { AGENTS, type AgentId } from '../shared/agents.ts';
import { fail, ok, type Result } from '../shared/errors.ts';
import { PART_BYTES } from './bounds.ts';
import { messageOf } from './call-tool.ts';
import { compiledPage } from './compiled.ts';
import { clean } from './outgoing.ts';
import { fenced } from './quote.ts';
import { briefLine, briefOf, findSession } from './session.ts';
import type { Call } from './tool.ts';
import { rowTexts } from './transcript-text.ts';

/** Sessions of one page of the list. */
const PAGE = 100;
/** Clients read the whole list at their start (Gemini CLI does), so it ends; session_list has the older ones. */
const LISTED = 500;

export const TEMPLATES: ResourceTemplate[] = [
  {
    uriTemplate: 'sessionctl://session/{id}{?from,call}',
    name: 'session',
    title: 'A session',
    description:
      'The conversation of a session, a part at a time; `from` is the row to begin with, `call` the tool call in it.',
    mimeType: 'text/plain',
  },
  {
    uriTemplate: 'sessionctl://context/{id}/{agent}{?budget,part}',
    name: 'context',
    title: 'A compiled context',
    description: `A session compiled for an agent (${AGENTS.join(', ')}) within a budget of tokens, a part at a time.`,
    mimeType: 'text/markdown',
  },
];

/**
 * The newest sessions, a page at a time. Never fails: Gemini CLI drops the tools of a server whose list does. What is
 * wrong (no store, no key) is told by the tools.
 */
export async function listResources(
  { connection, signal, clean: by }: Call,
  cursor: string | undefined,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  const offset = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isInteger(offset) || offset < 0 || offset >= LISTED) return { resources: [] };
  const limit = Math.min(PAGE, LISTED - offset);
  const listed = await connection.engine.call('sessions.list', { offset, limit }, signal);
  if (!listed.ok) return { resources: [] };
  const next = offset + listed.value.rows.length;
  const isMore = next < Math.min(listed.value.total, LISTED) && listed.value.rows.length > 0;
  return {
    resources: listed.value.rows.map((row) => {
      const { id, agent, title, last_activity } = clean(briefOf(row, by), by);
      return {
        uri: `sessionctl://session/${id}`,
        name: id,
        title: title ?? id,
        description: `Session of ${agent}, last active ${last_activity ?? 'at an unknown time'}`,
        mimeType: 'text/plain',
      };
    }),
    ...(isMore ? { nextCursor: String(next) } : {}),
  };
}

/** A part of a session or of a compiled context. Errors: invalid_request, and those of the engine. */
export async function readResource(call: Call, uri: string): Promise<Result<ReadResourceResult>> {
  const parsed = parse(uri);
  if (parsed === null)
    return fail(
      'invalid_request',
      `There is no resource "${uri.slice(0, 200)}". Its address is sessionctl://session/<id> or sessionctl://context/<id>/<agent>.`,
    );
  const text = parsed.kind === 'session' ? await sessionText(call, parsed) : await contextText(call, parsed);
  if (!text.ok) return fail(text.error.code, messageOf(text.error, call));
  const { note } = call.reading;
  const whole = note === undefined ? text.value : `${note}\n${text.value}`;
  const mimeType = parsed.kind === 'session' ? 'text/plain' : 'text/markdown';
  return ok({ contents: [{ uri, mimeType, text: clean(whole, call.clean) }] });
}

type Address =
  | { kind: 'session'; id: string; from: number; skip: number }
  | { kind: 'context'; id: string; agent: AgentId; budget: number | undefined; part: number };

function parse(uri: string): Address | null {
  const url = URL.parse(uri);
  if (url?.protocol !== 'sessionctl:') return null;
  const [id = '', agent, more] = url.pathname.split('/').slice(1).map(decoded);
  const number = (name: string, otherwise: number): number => {
    const text = url.searchParams.get(name);
    return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : otherwise;
  };
  if (id === '' || more !== undefined) return null;
  if (url.host === 'session' && agent === undefined)
    return { kind: 'session', id, from: number('from', 0), skip: number('call', 0) };
  const target = AGENTS.find((known) => known === agent);
  if (url.host !== 'context' || target === undefined) return null;
  return { kind: 'context', id, agent: target, budget: number('budget', 0) || undefined, part: number('part', 1) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const ROWS = 50;

async function sessionText(call: Call, { id, from, skip }: Address & { kind: 'session' }): Promise<Result<string>> {
  const row = await findSession(call, id, from + skip > 0 ? 2 : 1);
  if (!row.ok) return row;
  const session = briefOf(row.value, call.clean);
  const texts = [`${briefLine(session)}\n\n`];
  let size = Buffer.byteLength(texts[0] as string);
  let at = from;
  for (let total = Number.POSITIVE_INFINITY; at < total; ) {
    const page = await call.connection.engine.call(
      'transcript.rows',
      { id: session.id, from: at, limit: ROWS },
      call.signal,
    );
    if (!page.ok) return page;
    total = page.value.total;
    for (const shown of page.value.rows) {
      const pieces = rowTexts(shown, call.clean);
      for (let piece = at === from ? skip : 0; piece < pieces.length; piece++) {
        const text = pieces[piece] as string;
        size += Buffer.byteLength(text);
        if (size > PART_BYTES && texts.length > 1) return ok(sessionPart(session.id, texts, { at, piece, total }));
        texts.push(text);
      }
      at++;
    }
    if (page.value.rows.length === 0) break;
  }
  return ok(sessionPart(session.id, texts, null));
}

interface Next {
  at: number;
  /** of the texts of that row */
  piece: number;
  total: number;
}

function sessionPart(id: string, texts: readonly string[], next: Next | null): string {
  const address = next && `sessionctl://session/${id}?from=${next.at}${next.piece > 0 ? `&call=${next.piece}` : ''}`;
  const more = next === null ? 'This is the end of it.' : `It goes on at ${address} (row ${next.at} of ${next.total}).`;
  return `${more}\n${fenced(id, texts.join(''))}\n`;
}

async function contextText(
  call: Call,
  { id, agent, budget, part }: Address & { kind: 'context' },
): Promise<Result<string>> {
  const row = await findSession(call, id, part);
  if (!row.ok) return row;
  const page = await compiledPage(call, { session: row.value.id, target: agent, budget, part }, CONTEXT_ROOM);
  return page.ok ? ok(page.value.text) : page;
}

/** Tokens of a compiled context when its address does not say. */
const CONTEXT_ROOM = 32_000;
