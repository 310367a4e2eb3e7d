import { fail, ok, type Result } from '../../shared/errors.ts';

/**
 * JSON with the places of its parts, so that a member can be put in or taken out and every other byte stays. Agents differ
 * in what they take: comments (Gemini CLI), trailing commas too (OpenCode), neither (Claude Code, Pi).
 */
export interface Dialect {
  comments: boolean;
  trailingCommas: boolean;
}

export interface JsonObject {
  kind: 'object';
  start: number;
  /** behind the closing brace */
  end: number;
  members: Member[];
  /** offset behind the comma after the last member, where there is one */
  trailingComma: number | null;
}

export interface Member {
  key: string;
  start: number;
  value: Value;
}

export type Value = JsonObject | { kind: 'other'; start: number; end: number };

/** Deeper than any configuration. */
const DEPTH = 200;

class Broken extends Error {}

/** Reads a text whose root is an object. Errors: `invalid_request`, with the line. */
export function parseJson(text: string, dialect: Dialect): Result<JsonObject> {
  try {
    const reader = new Reader(text, dialect);
    return ok(reader.root());
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return fail('invalid_request', error.message);
  }
}

class Reader {
  readonly #text: string;
  readonly #dialect: Dialect;
  #at: number;

  constructor(text: string, dialect: Dialect) {
    this.#text = text;
    this.#dialect = dialect;
    this.#at = text.startsWith('\ufeff') ? 1 : 0;
  }

  root(): JsonObject {
    this.#skip();
    const value = this.#value(DEPTH);
    this.#skip();
    if (this.#at < this.#text.length) throw this.#broken('something stands behind the end');
    if (value.kind !== 'object') throw this.#broken('it is no object');
    return value;
  }

  #value(depth: number): Value {
    if (depth === 0) throw this.#broken('it is nested too deeply');
    const start = this.#at;
    const first = this.#text[start];
    if (first === '{') return this.#object(depth);
    if (first === '[') this.#array(depth);
    else if (first === '"') this.#string();
    else this.#literal();
    return { kind: 'other', start, end: this.#at };
  }

  #object(depth: number): JsonObject {
    const start = this.#at++;
    const members: Member[] = [];
    let trailingComma: number | null = null;
    for (this.#skip(); this.#text[this.#at] !== '}'; this.#skip()) {
      if (members.length > 0 && trailingComma === null) throw this.#broken('a comma is missing');
      trailingComma = null;
      const at = this.#at;
      const key = this.#string();
      this.#skip();
      this.#take(':');
      this.#skip();
      members.push({ key, start: at, value: this.#value(depth - 1) });
      this.#skip();
      if (this.#text[this.#at] === ',') trailingComma = ++this.#at;
    }
    this.#end(trailingComma !== null);
    return { kind: 'object', start, end: this.#at, members, trailingComma };
  }

  #array(depth: number): void {
    this.#at++;
    let isOpen = true;
    let isComma = false;
    for (this.#skip(); this.#text[this.#at] !== ']'; this.#skip()) {
      if (!isOpen) throw this.#broken('a comma is missing');
      this.#value(depth - 1);
      this.#skip();
      isComma = this.#text[this.#at] === ',';
      isOpen = isComma;
      if (isComma) this.#at++;
    }
    this.#end(isComma);
  }

  /** Takes the closing sign. */
  #end(hasTrailingComma: boolean): void {
    if (hasTrailingComma && !this.#dialect.trailingCommas) throw this.#broken('a comma stands before the end');
    this.#at++;
  }

  #string(): string {
    const text = stringAt(this.#text, this.#at);
    if (text === null) throw this.#broken('a string is expected here, or it does not end');
    const value = read(text);
    if (typeof value !== 'string') throw this.#broken('a string has an escape that is none');
    this.#at += text.length;
    return value;
  }

  #literal(): void {
    const found = /[-+.\w]+/y;
    found.lastIndex = this.#at;
    const text = found.exec(this.#text)?.[0] ?? '';
    if (read(text) === undefined) throw this.#broken('a value is expected here');
    this.#at += text.length;
  }

  #take(sign: string): void {
    if (this.#text[this.#at] !== sign) throw this.#broken(`"${sign}" is expected here`);
    this.#at++;
  }

  /** White space and comments. */
  #skip(): void {
    this.#at = blankEnd(this.#text, this.#at, this.#dialect.comments);
  }

  #broken(why: string): Broken {
    const line = this.#text.slice(0, this.#at).split('\n').length;
    return new Broken(`line ${line}: ${why}`);
  }
}

/** Whatever its length: a regular expression has room for strings of some megabytes alone. */
function stringAt(text: string, start: number): string | null {
  if (text[start] !== '"') return null;
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return text.slice(start, at + 1);
    if (code < SPACE) return null;
    if (code === BACKSLASH) at++;
  }
  return null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** Where white space, and comments where there are any, end. */
export function blankEnd(text: string, start: number, comments: boolean): number {
  let at = start;
  for (;;) {
    while (BLANK.has(text.charCodeAt(at))) at++;
    const end = comments ? commentEnd(text, at) : at;
    if (end === at) return at;
    at = end;
  }
}

const BLANK: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0x0a]);

/** `at` itself where no comment begins, or one that does not end. */
function commentEnd(text: string, at: number): number {
  if (text.startsWith('//', at)) {
    const line = /[^\r\n]*/y;
    line.lastIndex = at;
    return at + (line.exec(text)?.[0].length ?? 0);
  }
  const end = text.startsWith('/*', at) ? text.indexOf('*/', at + 2) : -1;
  return end < 0 ? at : end + 2;
}

function read(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
