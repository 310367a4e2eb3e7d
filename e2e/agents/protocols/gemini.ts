/** Reduces a request body of the Gemini API, as Gemini CLI sends it, to neutral items. */
import { type Item, imageHash } from '../facts.ts';
import { assistantText, joinAttachments, userText } from '../marks.ts';

type Json = Record<string, unknown>;

/**
 * Items of `body.contents` in order. Throws on a body that has none. On resume Gemini CLI sends every response twice (it
 * keeps them twice); the second is left out.
 */
export function geminiItems(body: unknown): Item[] {
  const contents = (body as { contents?: Json[] }).contents;
  if (!Array.isArray(contents)) throw new Error('no contents in the request');
  const calls = new Calls();
  return joinAttachments(
    contents.flatMap(({ role, parts }) =>
      withPictures(((parts ?? []) as Json[]).map((part) => partItems(String(role), part, calls))),
    ),
  );
}

/** A picture right behind a response belongs to it; null = a response that was sent before, with its pictures. */
function withPictures(parts: readonly (Item[] | null)[]): Item[] {
  const items: Item[] = [];
  let result: Extract<Item, { kind: 'result' }> | 'repeated' | undefined;
  for (const part of parts) {
    const [first] = part ?? [];
    if (part === null) result = 'repeated';
    else if (first?.kind === 'image' && result !== undefined) {
      if (result !== 'repeated') result.images.push(first.sha256);
    } else {
      result = first?.kind === 'result' ? first : undefined;
      items.push(...part);
    }
  }
  return items;
}

/** Calls without an id are told apart by their order. */
class Calls {
  #made = 0;
  readonly #open: { id: string; name: string }[] = [];
  readonly #answered = new Set<string>();

  call({ id, name }: Json): string {
    const own = typeof id === 'string' ? id : `call-${++this.#made}`;
    this.#open.push({ id: own, name: String(name) });
    return own;
  }

  /** Null = this call has its result already. */
  result({ id, name }: Json): string | null {
    const open = this.#open.find((call) =>
      typeof id === 'string' ? call.id === id : call.name === name && !this.#answered.has(call.id),
    );
    const own = open?.id ?? String(id ?? name);
    if (this.#answered.has(own)) return null;
    this.#answered.add(own);
    return own;
  }
}

function partItems(role: string, part: Json, calls: Calls): Item[] | null {
  if (part.thought === true) return [{ kind: 'thinking', text: String(part.text ?? '') }];
  if (part.functionCall !== undefined) {
    const call = part.functionCall as Json;
    return [{ kind: 'call', id: calls.call(call), name: String(call.name), args: call.args ?? {} }];
  }
  if (part.functionResponse !== undefined) return result(part.functionResponse as Json, calls);
  const data = dataOf(part);
  if (data !== null) return [{ kind: 'image', sha256: imageHash(data) }];
  const text = String(part.text ?? '');
  if (role === 'model') return assistantText(text);
  return CONTEXT.test(text.trim()) ? [{ kind: 'harness', text }] : userText(text);
}

/** What Gemini CLI tells of the folder and the date, before the first prompt. */
const CONTEXT = /^<(?:session_context|hook_context)>/;

function result(response: Json, calls: Calls): Item[] | null {
  const id = calls.result(response);
  if (id === null) return null;
  const { output, error } = (response.response ?? {}) as Json;
  const images = ((response.parts ?? []) as Json[]).map(dataOf).filter((data) => data !== null);
  const said = error ?? output;
  const text = typeof said === 'string' ? said : JSON.stringify(said ?? response.response ?? '');
  return [{ kind: 'result', id, text, images: images.map(imageHash), error: error !== undefined }];
}

function dataOf(part: Json): string | null {
  const { data } = (part.inlineData ?? {}) as Json;
  return typeof data === 'string' ? data : null;
}
