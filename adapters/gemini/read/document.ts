import { parseJson } from '../../../src/core/json-depth.ts';
import { isMessage, isObject, type Json, type Message } from './record.ts';

/** A document is held whole, as the client itself does. */
export const DOCUMENT_LIMIT = 1 << 28;

/** The session of an old version: one JSON object with all messages. */
export interface Document {
  /** the object as it stands, as far as it could be read */
  header: Json;
  /** pieces that could not be read, with the line they begin at (from 1) */
  damage: { line: number; detail: string; cut: boolean }[];
}

/** Reads a document; where it is damaged, each message for itself. */
export function readDocument(text: string): Document {
  try {
    const whole = parseJson(text);
    if (isObject(whole) && Array.isArray(whole.messages)) return { header: whole, damage: [] };
  } catch {
    // read in pieces below
  }
  return salvage(text);
}

/** The messages of a document. */
export function messagesIn({ messages }: Json): Message[] {
  return Array.isArray(messages) ? messages.filter(isMessage) : [];
}

/** Takes the members before the messages one by one, then every whole message. */
function salvage(text: string): Document {
  const start = /"messages"\s*:\s*\[/.exec(text);
  const damage: Document['damage'] = [];
  const pretty = text.indexOf('\n    {');
  if (start === null && pretty >= 0) damage.push({ line: lineAt(text, pretty), detail: NO_LIST, cut: false });
  const from = start !== null ? start.index + start[0].length : pretty < 0 ? text.length : pretty;
  const header: Json = {};
  for (const [, key, value] of text.slice(0, from).matchAll(/"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*")/g))
    header[key!] = parsed(value!) ?? '';
  const messages: unknown[] = [];
  for (let at = text.indexOf('{', from); at >= 0; ) {
    // as the client writes it, nothing inside a message stands at this place
    const border = text.indexOf('\n    {', at + 1);
    const end = endOf(text, at, border < 0 ? text.length : border);
    const value = end < 0 ? undefined : parsed(text.slice(at, end));
    if (isObject(value)) messages.push(value);
    else
      damage.push({ line: lineAt(text, at), detail: end < 0 && border < 0 ? CUT : BROKEN, cut: end < 0 && border < 0 });
    const next = isObject(value) ? end : border;
    at = next < 0 ? -1 : text.indexOf('{', next);
  }
  if (damage.length === 0) damage.push({ line: lineAt(text, text.trimEnd().length), detail: CUT, cut: true });
  return { header: { ...header, messages }, damage };
}

const CUT = 'The file is cut off here; what stands before it was read.';
const NO_LIST = 'The list of messages does not begin as it should; its messages were read one by one.';
const BROKEN = 'This message is damaged and cannot be read.';

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Behind the bracket that closes the object at `at`; -1 = it is not closed before `border`. */
function endOf(text: string, at: number, border: number): number {
  let depth = 0;
  for (let i = at; i < border; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) {
      i = closingQuote(text, i, border);
      if (i < 0) return -1;
    } else if (c === 0x7b || c === 0x5b) depth++;
    else if ((c === 0x7d || c === 0x5d) && --depth === 0) return i + 1;
  }
  return -1;
}

function closingQuote(text: string, at: number, border: number): number {
  for (let i = at + 1; i < border; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x5c) i++;
    else if (c === 0x22) return i;
  }
  return -1;
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) line++;
  return line;
}
