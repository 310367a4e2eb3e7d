import { fail, ok, type Result } from '../../shared/errors.ts';

/** A table of a TOML file, and the lines that it takes. */
export interface TomlTable {
  /** dotted names, from the root; [] is the root itself */
  path: string[];
  start: number;
  /** behind the line of its last entry, or of its header */
  end: number;
  /** keys with the text of their values; dotted keys as they are split */
  entries: { key: string[]; value: string }[];
}

/**
 * Finds the tables of a TOML file (1.0) and what is in them, without reading the values further than where they end. What is
 * no TOML is refused, so that nothing is written into a file that an agent cannot read. Errors: `invalid_request`, with the line.
 */
export function readToml(text: string): Result<TomlTable[]> {
  try {
    return ok(new Scanner(text).tables());
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return fail('invalid_request', error.message);
  }
}

class Broken extends Error {}

/** Deeper than any configuration. */
const DEPTH = 100;
const BARE_KEY = /[A-Za-z0-9_-]+/y;
/** Numbers, booleans, dates, times. */
const SCALAR =
  /(?:true|false|[+-]?(?:inf|nan)|\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d(?::\d\d)?(?:\.\d+)?|0x[\da-fA-F_]+|0o[0-7_]+|0b[01_]+|[+-]?\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?)(?![\w.+:-])/y;
const STRINGS: [open: string, whole: RegExp][] = [
  ['"""', /"""(?:[^\\]|\\[\s\S])*?"{3,5}/y],
  ["'''", /'''[\s\S]*?'{3,5}/y],
  ['"', /"(?:[^"\\\r\n]|\\[^\r\n])*"/y],
  ["'", /'[^'\r\n]*'/y],
];

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    if (text.startsWith('\ufeff')) this.#at = 1;
  }

  tables(): TomlTable[] {
    let table: TomlTable = { path: [], start: this.#at, end: this.#at, entries: [] };
    const tables = [table];
    for (this.#blank(true); this.#at < this.#text.length; this.#blank(true)) {
      if (this.#text[this.#at] === '[') {
        const start = this.#at;
        table = { path: this.#header(), start, end: start, entries: [] };
        tables.push(table);
      } else table.entries.push(this.#pair());
      this.#endOfLine();
      table.end = this.#at;
    }
    return tables;
  }

  #header(): string[] {
    const sign = this.#text.startsWith('[[', this.#at) ? 2 : 1;
    this.#at += sign;
    const path = this.#key();
    if (!this.#text.startsWith(']'.repeat(sign), this.#at)) throw this.#broken('a header does not end');
    this.#at += sign;
    return path;
  }

  #pair(): { key: string[]; value: string } {
    const key = this.#key();
    this.#take('=');
    this.#blank(false);
    const start = this.#at;
    this.#value(DEPTH);
    return { key, value: this.#text.slice(start, this.#at) };
  }

  #key(): string[] {
    const names: string[] = [];
    do {
      if (names.length > 0) this.#at++;
      this.#blank(false);
      names.push(this.#name());
      this.#blank(false);
    } while (this.#text[this.#at] === '.');
    return names;
  }

  #name(): string {
    const bare = this.#match(BARE_KEY);
    if (bare !== null) return bare;
    const quoted = /^["'](?!["']{2})/.test(this.#text.slice(this.#at, this.#at + 3)) ? this.#string() : null;
    if (quoted === null) throw this.#broken('a key is expected here');
    return quoted.startsWith('"') ? unescaped(quoted) : quoted.slice(1, -1);
  }

  #value(depth: number): void {
    if (depth === 0) throw this.#broken('it is nested too deeply');
    const sign = this.#text[this.#at];
    if (sign === '[') this.#list(']', depth, () => this.#value(depth - 1));
    else if (sign === '{') this.#list('}', depth, () => void this.#pair());
    else if (this.#string() === null && this.#match(SCALAR) === null) throw this.#broken('a value is expected here');
  }

  #list(close: string, depth: number, item: () => void): void {
    this.#at++;
    // TOML 1.1 lets inline tables go over several lines too
    for (this.#blank(true); this.#text[this.#at] !== close; this.#blank(true)) {
      if (depth === 0) throw this.#broken('it is nested too deeply');
      item();
      this.#blank(true);
      if (this.#text[this.#at] === ',') this.#at++;
      else if (this.#text[this.#at] !== close) throw this.#broken(`"," or "${close}" is expected here`);
    }
    this.#at++;
  }

  #string(): string | null {
    const [, whole] = STRINGS.find(([open]) => this.#text.startsWith(open, this.#at)) ?? [];
    if (whole === undefined) return null;
    const text = this.#match(whole);
    if (text === null) throw this.#broken('a string does not end');
    return text;
  }

  #take(sign: string): void {
    if (this.#text[this.#at] !== sign) throw this.#broken(`"${sign}" is expected here`);
    this.#at++;
  }

  /** White space; with `lines` line ends and comments too. */
  #blank(lines: boolean): void {
    this.#match(lines ? /(?:[ \t\n]|\r\n|#[^\r\n]*)*/y : /[ \t]*/y);
  }

  #endOfLine(): void {
    this.#match(/[ \t]*(?:#[^\r\n]*)?/y);
    if (this.#at < this.#text.length && this.#match(/\r?\n/y) === null) throw this.#broken('the line should end here');
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return null;
    this.#at += found[0].length;
    return found[0];
  }

  #broken(why: string): Broken {
    return new Broken(`line ${this.#text.slice(0, this.#at).split('\n').length}: ${why}`);
  }
}

/** Escapes of TOML are those of JSON but for \e, \xHH and \UHHHHHHHH; a name that has one of these stays as it is written. */
function unescaped(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}
