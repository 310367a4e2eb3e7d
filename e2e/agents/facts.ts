/**
 * What a session *says*, in a form that belongs to no agent.
 *
 * A request body of an agent is reduced to **items** in the order in which its model reads them. Every item is either a
 * fact of the conversation or harness text. A **fact** is one of:
 *
 * - `prompt` / `reply`: one text block of the user or of the assistant (compaction summaries, preserved messages and
 *   prompts queued during a turn are prompts like any other);
 * - `image`: the picture itself (SHA-256 of its decoded bytes), in a prompt or in a tool's result;
 * - `call`: a tool call that the model sees as a call, its name and every value of its arguments;
 * - `result`: the text that answers one call, tied to that call; `failure`: that this result was marked as an error, by a flag or by its own words (a weak
 *   fact where there is no flag: many texts have such words);
 * - `shell`: a command that the user ran himself (`!`), and what it printed;
 * - `attachment`: a file that the user attached (`@file`) or that was read again after a compaction: path and content;
 * - `notification`: the report of a background task or agent;
 * - `interruption`: the mark that the user stopped the model.
 *
 * `thinking` is counted apart: it is signed by, and for, the model that made it, so it stays at home and has to be
 * declared. **Harness text** is neither required nor wrong: system and developer messages, `<system-reminder>` notes,
 * environment, git status, instruction files (each agent reads its own), lists of tools, echoes of slash commands,
 * paths of pasted images, and lines that a client makes up when it resumes.
 *
 * Normalisations before facts are compared, and no others:
 *
 * 1. White space around a text block is ignored (Claude Code adds a line break where it joins messages), line ends are
 *    `\n`, and an empty block is no fact.
 * 2. `<system-reminder>…</system-reminder>` inside a text block is harness text and is cut out on both sides.
 * 3. Text parts of one tool result are joined by a line break.
 * 4. In a block of calls and their results the results are put in the order of the calls (agents write them in the
 *    order of completion). A result that does not follow its block stays where it is and so counts as out of order.
 *    Their images stand behind the block, as in clients whose protocol has no image in a result.
 * 5. Within one turn of the user, attachments come first.
 * 6. Arguments are compared as JSON values, whatever the order of the keys.
 * 7. An attachment is equal when the path occurs and the content agrees line by line without line numbers.
 * 8. `[REDACTED:<type>:<n>]` on the measured side stands for any text; such facts are counted as redacted.
 * 9. What a client puts in place of a result that its session does not hold is the same fact in any words.
 * 10. A first line `[The tool reported an error]` of a measured result is the error flag, not text of the result.
 * 11. Where the target's client puts the texts of a reply before its calls (Claude Code, and all that speak the chat
 *     protocol), their order within one reply is no fact.
 * 12. Where it joins the texts of a reply, they are one text.
 * 13. Where its protocol has no error flag for results (chat: Pi, OpenCode), `failure` is no fact.
 */
import { createHash } from 'node:crypto';

export type Role = 'user' | 'assistant';

export type Item =
  | { kind: 'text'; role: Role; text: string }
  | { kind: 'image'; sha256: string }
  | { kind: 'call'; id: string; name: string; args: unknown }
  | { kind: 'result'; id: string; text: string; images: string[]; error: boolean }
  | { kind: 'shell'; text: string }
  | { kind: 'attachment'; path: string; text: string }
  | { kind: 'notification'; text: string }
  | { kind: 'interruption' }
  | { kind: 'thinking'; text: string }
  | { kind: 'harness'; text: string };

export const FACT_KINDS = [
  'prompt',
  'reply',
  'image',
  'call',
  'result',
  'failure',
  'shell',
  'attachment',
  'notification',
  'interruption',
] as const;
export type FactKind = (typeof FACT_KINDS)[number];

/** One fact. `text` is what is compared and printed; `call` names the call that a result belongs to. */
export interface Fact {
  kind: FactKind;
  text: string;
  call?: string;
  name?: string;
  args?: unknown;
  path?: string;
}

export interface Reduction {
  facts: Fact[];
  thinking: number;
  harness: string[];
}

/** Normalisations 1 and 2. */
export function cleanText(text: string): string {
  return text
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
    .replace(/\r\n?/g, '\n')
    .trim();
}

/** SHA-256 of the bytes of a base64 string. */
export function imageHash(base64: string): string {
  return createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex');
}

/** Turns items into facts in comparable order (normalisations 4 and 5). */
export function factsOf(items: readonly Item[]): Reduction {
  const thinking = items.filter((item) => item.kind === 'thinking').length;
  const harness = items.flatMap((item) => (item.kind === 'harness' ? [item.text] : []));
  const spoken = items.filter((item) => item.kind !== 'harness' && item.kind !== 'thinking');
  return { facts: attachmentsFirst(resultsInCallOrder(spoken)).flatMap(itemFacts), thinking, harness };
}

function itemFacts(item: Item): Fact[] {
  switch (item.kind) {
    case 'text':
      return textFact(item.role === 'user' ? 'prompt' : 'reply', item.text);
    case 'image':
      return [{ kind: 'image', text: item.sha256 }];
    case 'call':
      return [{ kind: 'call', text: callText(item.name, item.args), call: item.id, name: item.name, args: item.args }];
    case 'result':
      return [
        {
          kind: 'result',
          text: NO_RESULT.test(item.text.replace(ERROR_MARK, '').trim()) ? '(no result)' : cleanText(item.text),
          call: item.id,
        },
        ...(item.error ? [{ kind: 'failure', text: cleanText(item.text), call: item.id } satisfies Fact] : []),
      ];
    case 'shell':
    case 'notification':
      return textFact(item.kind, item.text);
    case 'attachment':
      return [{ kind: 'attachment', text: item.text, path: item.path }];
    case 'interruption':
      return [{ kind: 'interruption', text: '(stopped by the user)' }];
    default:
      return [];
  }
}

/** The line by which a written session says that a result is an error where the target's protocol has no flag. */
export const ERROR_MARK = /^\[The tool reported an error\]\n?/;

/** Pi, OpenCode, and what sessionctl writes. */
const NO_RESULT =
  /^(?:No result provided|\[Tool execution was interrupted\]|Not run: the session was interrupted before this call had a result\.)$/;

function textFact(kind: FactKind, text: string): Fact[] {
  const clean = cleanText(text);
  return clean === '' ? [] : [{ kind, text: clean }];
}

/** JSON with sorted keys, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function callText(name: string, args: unknown): string {
  return `${name} ${canonicalJson(args)}`;
}

/** Sorts each unbroken run of results that follows a run of calls by the order of those calls; their images come last. */
function resultsInCallOrder(items: readonly Item[]): Item[] {
  const sorted: Item[] = [];
  const open = new Map<string, number>();
  let run: Extract<Item, { kind: 'result' }>[] = [];
  const flush = (): void => {
    const place = (item: { id: string }): number => open.get(item.id) ?? Number.MAX_SAFE_INTEGER;
    const results = run.toSorted((a, b) => place(a) - place(b));
    const images = results.flatMap((item) => item.images);
    sorted.push(...results.map((item) => ({ ...item, images: [] })));
    sorted.push(...images.map((sha256): Item => ({ kind: 'image', sha256 })));
    run = [];
  };
  for (const item of items) {
    if (item.kind === 'result') {
      run.push(item);
      continue;
    }
    flush();
    if (item.kind === 'call') open.set(item.id, open.size);
    sorted.push(item);
  }
  flush();
  return sorted;
}

const USER_SIDE = new Set(['text', 'image', 'shell', 'attachment', 'notification', 'interruption']);

function attachmentsFirst(items: readonly Item[]): Item[] {
  const ordered: Item[] = [];
  let turn: Item[] = [];
  const flush = (): void => {
    const isAttachment = (item: Item): boolean => item.kind === 'attachment';
    ordered.push(...turn.filter(isAttachment), ...turn.filter((item) => !isAttachment(item)));
    turn = [];
  };
  for (const item of items) {
    const isUserSide = USER_SIDE.has(item.kind) && !(item.kind === 'text' && item.role === 'assistant');
    if (isUserSide) turn.push(item);
    else {
      flush();
      ordered.push(item);
    }
  }
  flush();
  return ordered;
}
