/**
 * Map from native uuids to event numbers. Exact, and 20 bytes an entry: a map of strings takes several times as much,
 * which shows in files of gigabytes. Ids of another form (hand-written files) go into an ordinary map.
 */
export class UuidMap {
  private words: Int32Array;
  /** event number + 1; 0 = free slot */
  private values: Int32Array;
  private size = 0;
  private other: Map<string, number> | undefined;
  private readonly key = new Int32Array(4);
  /** the id that `key` was read from: a record's id is looked up and then set */
  private read: string | undefined;
  /** last entry that was set: chains name it next */
  private lastId: string | undefined;
  private lastSeq = -1;

  constructor(capacity = 256) {
    this.words = new Int32Array(capacity * 4);
    this.values = new Int32Array(capacity);
  }

  get(id: string): number | undefined {
    if (id === this.lastId) return this.lastSeq;
    if (!this.parse(id)) return this.other?.get(id);
    const value = this.values[this.slot(this.key)] as number;
    return value === 0 ? undefined : value - 1;
  }

  set(id: string, seq: number): void {
    this.lastId = id;
    this.lastSeq = seq;
    if (!this.parse(id)) {
      this.other ??= new Map();
      this.other.set(id, seq);
      return;
    }
    if (this.size * 4 >= this.values.length * 3) this.grow();
    const slot = this.slot(this.key);
    if (this.values[slot] === 0) {
      this.size++;
      this.words.set(this.key, slot * 4);
    }
    this.values[slot] = seq + 1;
  }

  private parse(id: string): boolean {
    if (id === this.read) return true;
    this.read = undefined;
    if (!parseUuid(id, this.key)) return false;
    this.read = id;
    return true;
  }

  /** Slot of a key, or the free one where it belongs. The table is never more than three quarters full. */
  private slot(key: Int32Array): number {
    const mask = this.values.length - 1;
    const a = key[0] as number;
    const b = key[1] as number;
    const c = key[2] as number;
    const d = key[3] as number;
    let at = (Math.imul(a ^ d, 0x9e3779b1) ^ b ^ c) & mask;
    for (; this.values[at] !== 0; at = (at + 1) & mask) {
      const word = at * 4;
      const words = this.words;
      if (words[word] === a && words[word + 1] === b && words[word + 2] === c && words[word + 3] === d) break;
    }
    return at;
  }

  private grow(): void {
    const { words, values } = this;
    this.words = new Int32Array(words.length * 2);
    this.values = new Int32Array(values.length * 2);
    for (let i = 0; i < values.length; i++) {
      if (values[i] === 0) continue;
      const key = words.subarray(i * 4, i * 4 + 4);
      const slot = this.slot(key);
      this.words.set(key, slot * 4);
      this.values[slot] = values[i] as number;
    }
  }
}

const HEX = new Int8Array(128).fill(-1);
for (let digit = 0; digit < 16; digit++) HEX[digit.toString(16).charCodeAt(0)] = digit;

/** Reads a lower-case uuid into four words; false for any other form. */
function parseUuid(id: string, into: Int32Array): boolean {
  if (id.length !== 36) return false;
  let word = 0;
  let digits = 0;
  for (let i = 0; i < 36; i++) {
    const code = id.charCodeAt(i);
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      if (code !== 45) return false;
      continue;
    }
    const digit = code < 128 ? (HEX[code] as number) : -1;
    if (digit < 0) return false;
    word = (word << 4) | digit;
    if ((++digits & 7) === 0) {
      into[(digits >> 3) - 1] = word;
      word = 0;
    }
  }
  return true;
}
