import { CONTEXT_TESTS } from './anchor-context.ts';
import { ANCHORS, anchorWindows, escapeWindows, ODD, oddWindows, SURROGATE, type Window } from './anchors.ts';
import { CHINESE_TELLING } from './names.ts';
import { fold, ODD_RANGES } from './odd-characters.ts';
import { NIBBLE_TABLES, WINDOW_OFFSETS } from './prefilter-plan.ts';
import type { AnchorContext } from './rule.ts';
import { ALL_RULES, RULES, type RuleHits } from './rules.ts';
import { TEDDY_WASM } from './teddy.ts';

/**
 * Says, for raw lines of JSON, which rules can find something in which line, some 100 times faster than running them.
 * It is weaker than the rules: it never passes over a line in which a rule would find a secret.
 */

// Layout of the scanner's memory, see teddy.wat.
/** where the scan stopped, and whether it saw a DEL */
const STATE = 8192;
const PLACES = 16384;
const MAX_PLACES = 12032;
const ASCII_BITMAP = 65536;
const OTHER_BITMAP = 98304;
const DATA = 131072;
/** The scanner reads a little past the end. */
const SLACK = 64;
const PAGE = 65536;

interface Entry {
  bytes: readonly number[];
  anyCase: boolean;
  /** place of the searched window in `bytes` */
  offset: number;
  rule: number;
  context: AnchorContext;
  run: number;
  afterAscii: boolean;
}

const SEPARATES = new Uint8Array(256);
for (const character of ' \n"\'`,;()[]{}<|*?!') SEPARATES[character.charCodeAt(0)] = 1;

const hash = (word: number): number => Math.imul(word, 0x9e3779b1) >>> 14;
/** The window at a place, as one number. */
const windowAt = (b: ArrayLike<number>, at: number): number => {
  const three = (b[at] as number) | ((b[at + 1] as number) << 8) | ((b[at + 2] as number) << 16);
  return (three & 0x80) === 0 ? three | ((b[at + 3] as number) << 24) : three;
};

/** Which windows are searched, by hash. Made once, shared by all scanners of a thread. */
class Lookup {
  /** entries for the hash of a window of ASCII, and of other windows */
  readonly ascii = new Map<number, Entry[]>();
  readonly other = new Map<number, Entry[]>();

  constructor() {
    ANCHORS.forEach((anchor, index) => {
      const offset = Number.parseInt(WINDOW_OFFSETS.charAt(index), 36) - 1;
      const entry = { ...anchor, offset, afterAscii: false };
      for (const window of anchorWindows(anchor, offset)) this.add(window, entry);
    });
    const escaped = oddEntry([0x5c, 0x75], false);
    for (const window of escapeWindows()) this.add(window, escaped);
    for (const { window, afterAscii } of oddWindows()) {
      const bytes = window.filter((byte) => byte >= 0);
      const entry = oddEntry(bytes, afterAscii);
      if (bytes.length === 3) this.add(window, entry);
      else for (let any = 0; any < 256; any++) this.add([...bytes, any], entry);
    }
  }

  private add(window: Window, entry: Entry): void {
    const map = (window[0] as number) < 0x80 ? this.ascii : this.other;
    const key = hash(windowAt(window, 0));
    const list = map.get(key);
    if (list === undefined) map.set(key, [entry]);
    else if (!list.includes(entry)) list.push(entry);
  }
}

const oddEntry = (bytes: readonly number[], afterAscii: boolean): Entry => ({
  bytes,
  anyCase: false,
  offset: 0,
  rule: ODD,
  context: 'any',
  run: 0,
  afterAscii,
});

/** Code units, as escapes give them, that a view drops or folds to something telling, and those of names. */
function oddUnits(): Uint8Array {
  const odd = new Uint8Array(0x10000);
  for (let code = 0; code < 0x80; code++) odd[code] = code === 9 || code === 10 || code === 13 ? 0 : 1;
  for (const [first, last] of ODD_RANGES)
    for (let code = Math.max(0x80, first); code <= Math.min(last, 0xffff); code++)
      odd[code] = fold(String.fromCharCode(code)) === String.fromCharCode(code) ? 0 : 1;
  for (const character of CHINESE_TELLING) odd[character.charCodeAt(0)] = 1;
  return odd;
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

interface Shared {
  module: WebAssembly.Module;
  lookup: Lookup;
  units: Uint8Array;
}

let shared: Shared | null = null;

function share(): Shared {
  shared ??= {
    module: new WebAssembly.Module(fromBase64(TEDDY_WASM)),
    lookup: new Lookup(),
    units: oddUnits(),
  };
  return shared;
}

export interface LineHits {
  /** rules that may find something; null = none */
  rules: RuleHits | null;
  /** an escape in the line may be half a surrogate pair */
  surrogate: boolean;
}

/** A scanner with its own memory, into which the lines to scan are put. */
export class Prefilter {
  private readonly memory: WebAssembly.Memory;
  private readonly search: (from: number, to: number) => number;
  private readonly lookup: Lookup;
  private readonly units: Uint8Array;
  private bytes: Uint8Array;
  private places: Int32Array;
  private state: Int32Array;
  /** hits of the last scan, ascending */
  private at = new Int32Array(4096);
  private rule = new Int16Array(4096);
  private count = 0;
  private next = 0;
  private readonly stamp = new Int32Array(RULES.length);
  private lines = 0;

  constructor() {
    const { module, lookup, units } = share();
    const { exports } = new WebAssembly.Instance(module);
    this.memory = exports.memory as WebAssembly.Memory;
    this.search = exports.scan as (from: number, to: number) => number;
    this.lookup = lookup;
    this.units = units;
    [this.bytes, this.places, this.state] = this.views();
    this.bytes.set(fromBase64(NIBBLE_TABLES), 0);
    for (const [base, map] of [
      [ASCII_BITMAP, lookup.ascii],
      [OTHER_BITMAP, lookup.other],
    ] as const)
      for (const h of map.keys())
        this.bytes[base + (h >> 3)] = (this.bytes[base + (h >> 3)] as number) | (1 << (h & 7));
  }

  /** At least `size` bytes of memory for lines; what was in it before stays. Earlier arrays are no longer valid. */
  reserve(size: number): Uint8Array {
    const pages = Math.ceil((DATA + size + SLACK) / PAGE) - this.memory.buffer.byteLength / PAGE;
    if (pages > 0) {
      this.memory.grow(pages);
      [this.bytes, this.places, this.state] = this.views();
    }
    return this.bytes.subarray(DATA, this.bytes.length - SLACK);
  }

  private views(): [Uint8Array, Int32Array, Int32Array] {
    const { buffer } = this.memory;
    return [new Uint8Array(buffer), new Int32Array(buffer, PLACES, MAX_PLACES), new Int32Array(buffer, STATE, 2)];
  }

  /** Scans whole lines, bytes `from` to `to` of the reserved memory. Ask for the lines with `line`, in order. */
  scan(from: number, to: number): void {
    this.count = 0;
    this.next = 0;
    const end = DATA + to;
    let deletes = false;
    for (let position = DATA + from; position < end; position = this.state[0] as number) {
      const found = this.search(position, end);
      if (this.state[1] === 1) deletes = true;
      for (let i = 0; i < found; i++) this.candidate(this.places[i] as number, end);
    }
    if (deletes) this.deletes(DATA + from, end);
  }

  /** What was found in the next line of the scanned range; it ends before `end`. */
  line(end: number): LineHits {
    const stop = DATA + end;
    if (this.next >= this.count || (this.at[this.next] as number) >= stop) return NOTHING;
    let rules: number[] | null = null;
    let odd = false;
    let surrogate = false;
    this.lines++;
    for (; this.next < this.count && (this.at[this.next] as number) < stop; this.next++) {
      const rule = this.rule[this.next] as number;
      if (rule === ODD) odd = true;
      else if (rule === SURROGATE) surrogate = true;
      else if (this.stamp[rule] !== this.lines) {
        this.stamp[rule] = this.lines;
        rules ??= [];
        rules.push(rule);
      }
    }
    return { rules: odd ? ALL_RULES : rules, surrogate };
  }

  private candidate(place: number, end: number): void {
    const map = (this.bytes[place] as number) < 0x80 ? this.lookup.ascii : this.lookup.other;
    const entries = map.get(hash(windowAt(this.bytes, place)));
    if (entries !== undefined) for (const entry of entries) this.check(entry, place, end);
  }

  private check(entry: Entry, place: number, end: number): void {
    const { bytes } = this;
    const start = place - entry.offset;
    const after = start + entry.bytes.length;
    if (start < DATA || after > end) return;
    for (let i = 0; i < entry.bytes.length; i++) {
      const byte = bytes[start + i] as number;
      const folded = entry.anyCase && byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
      if (folded !== entry.bytes[i]) return;
    }
    if (entry.rule !== ODD) {
      if (CONTEXT_TESTS[entry.context](bytes, after, end, entry.run)) this.hit(place, entry.rule);
    } else if (bytes[place] === 0x5c) this.escape(place, end);
    else if (entry.afterAscii ? (bytes[place - 1] as number) < 0x80 : !this.standsAlone(place)) this.hit(place, ODD);
  }

  /** Whether a character between spaces or brackets cannot be part of any token. */
  private standsAlone(place: number): boolean {
    const lead = this.bytes[place] as number;
    const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    return SEPARATES[this.bytes[place - 1] as number] === 1 && SEPARATES[this.bytes[place + length] as number] === 1;
  }

  /** `\uXXXX` at `place`. */
  private escape(place: number, end: number): void {
    const unit = this.unitAt(place, end);
    if (unit < 0) return;
    if (unit < 0xd800 || unit > 0xdfff) {
      if (this.units[unit] === 1) this.hit(place, ODD);
      return;
    }
    if (unit >= 0xdc00) {
      const before = this.unitAt(place - 6, end);
      if (before < 0xd800 || before > 0xdbff) this.hit(place, SURROGATE);
      return;
    }
    const low = this.unitAt(place + 6, end);
    if (low < 0xdc00 || low > 0xdfff) {
      this.hit(place, SURROGATE);
      // With more backslashes between them, the two may still be a pair one level deeper.
      this.hit(place, ODD);
      return;
    }
    const code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    if (ODD_RANGES.some(([first, last]) => code >= first && code <= last)) this.hit(place, ODD);
  }

  /** Code unit of an escape, −1 when there is none. */
  private unitAt(place: number, end: number): number {
    const { bytes } = this;
    if (place < DATA || place + 6 > end || bytes[place] !== 0x5c || bytes[place + 1] !== 0x75) return -1;
    let unit = 0;
    for (let i = place + 2; i < place + 6; i++) {
      const byte = bytes[i] as number;
      const digit = byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
      if (digit < 0 || digit > 15 || (byte > 0x39 && digit < 10)) return -1;
      unit = (unit << 4) | digit;
    }
    return unit;
  }

  /** DEL is one byte and too short for the scanner. */
  private deletes(from: number, end: number): void {
    const range = this.bytes.subarray(from, end);
    for (let at = range.indexOf(0x7f); at >= 0; at = range.indexOf(0x7f, at + 1)) this.hit(from + at, ODD);
    const order = Array.from({ length: this.count }, (_, i) => i).sort(
      (a, b) => (this.at[a] as number) - (this.at[b] as number),
    );
    this.at = Int32Array.from(order, (i) => this.at[i] as number);
    this.rule = Int16Array.from(order, (i) => this.rule[i] as number);
  }

  private hit(place: number, rule: number): void {
    if (this.count === this.at.length) {
      const [at, rules] = [this.at, this.rule];
      this.at = new Int32Array(this.count * 2);
      this.rule = new Int16Array(this.count * 2);
      this.at.set(at);
      this.rule.set(rules);
    }
    this.at[this.count] = place;
    this.rule[this.count++] = rule;
  }
}

const NOTHING: LineHits = { rules: null, surrogate: false };
