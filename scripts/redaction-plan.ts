/**
 * Rebuilds what the redaction prefilter needs and is committed: src/core/redact/prefilter-plan.ts (after a change of the
 * rules' anchors; takes half a minute) and, with --wat, src/core/redact/teddy.ts (after a change of teddy.wat; needs
 * `npm install --no-save wabt`).
 * Usage: node scripts/redaction-plan.ts [--wat]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  ANCHORS,
  escapeWindows,
  oddWindows,
  WIDTH,
  type Window,
  windowForms,
  windowOffsets,
} from '../src/core/redact/anchors.ts';

const FOLDER = new URL('../src/core/redact/', import.meta.url);
const BUCKETS = 8;
/** The last two buckets are for escapes and for odd characters. */
const ANCHOR_BUCKETS = BUCKETS - 2;
const STEPS = 8_000_000;

/** Bytes of session files (JSON of prose and code), most frequent first, as measured on real ones. */
const COMMON = ' et"nsoaircdlup:m,hf0y-2\\g1bx483_.9765kwv{}/qT()`I;=[]SUjPA*RBZFL\'>CEDWMOY#N<zGHKXVJ&+$?@|Q^!%~';

function frequencies(): Float64Array {
  const share = new Float64Array(256).fill(0.0005);
  for (let i = 0; i < COMMON.length; i++) share[COMMON.charCodeAt(i)] = Math.exp(-i / 27) / (1 + i * 0.15);
  const sum = share.reduce((a, b) => a + b, 0);
  return share.map((x) => x / sum);
}

const FREQUENCY = frequencies();

/** Low and high nibbles that a set of windows has at each of its places, as bit masks. */
interface Shape {
  offset: number;
  low: number[];
  high: number[];
}

function shapeOf(forms: readonly (readonly number[])[], offset = 0): Shape {
  const mask = (nibble: (byte: number) => number) =>
    forms.map((bytes) => bytes.reduce((bits, byte) => bits | (byte < 0 ? 0xffff : 1 << nibble(byte)), 0));
  return { offset, low: mask((byte) => byte & 15), high: mask((byte) => byte >> 4) };
}

const columns = (windows: readonly Window[]): number[][] =>
  Array.from({ length: WIDTH }, (_, place) => windows.map((window) => window[place] ?? -1));

const shares = new Map<number, number>();

/** Expected share of bytes whose nibbles are in both masks. */
function share(low: number, high: number): number {
  const key = low * 0x10000 + high;
  const known = shares.get(key);
  if (known !== undefined) return known;
  let sum = 0;
  for (let byte = 0; byte < 256; byte++)
    if ((low >> (byte & 15)) & 1 && (high >> (byte >> 4)) & 1) sum += FREQUENCY[byte] as number;
  shares.set(key, sum);
  return sum;
}

/** Expected share of places in a file that pass a bucket of these windows. */
function passes(shapes: readonly Shape[]): number {
  let product = 1;
  for (let place = 0; place < WIDTH; place++) {
    let low = 0;
    let high = 0;
    for (const shape of shapes) {
      low |= shape.low[place] as number;
      high |= shape.high[place] as number;
    }
    product *= share(low, high);
  }
  return product;
}

interface Choice {
  bucket: number;
  shape: Shape;
}

/** A random but repeatable sequence of whole numbers below a limit. */
function random(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * limit);
  };
}

/** Simulated annealing: which window of each anchor is searched, and in which bucket. */
function choose(): { choices: Choice[]; cost: number } {
  const options = ANCHORS.map((anchor) =>
    windowOffsets(anchor).map((offset) => shapeOf(windowForms(anchor, offset), offset)),
  );
  const next = random(1);
  const any = <T>(list: readonly T[]): T => list[next(list.length)] as T;
  const choices: Choice[] = options.map((shapes) => ({ bucket: next(ANCHOR_BUCKETS), shape: any(shapes) }));
  const priceOf = (bucket: number): number => passes(choices.filter((c) => c.bucket === bucket).map((c) => c.shape));
  const prices = Array.from({ length: ANCHOR_BUCKETS }, (_, bucket) => priceOf(bucket));
  let total = prices.reduce((a, b) => a + b, 0);
  let best = { choices: choices.map((choice) => ({ ...choice })), cost: total };
  for (let step = 0; step < STEPS; step++) {
    const index = next(choices.length);
    const choice = choices[index] as Choice;
    const before = { ...choice };
    choice.bucket = next(ANCHOR_BUCKETS);
    choice.shape = any(options[index] as Shape[]);
    const [old, now] = [priceOf(before.bucket), priceOf(choice.bucket)];
    const rest = total - (prices[before.bucket] as number);
    const changed = before.bucket === choice.bucket ? rest + now : rest - (prices[choice.bucket] as number) + old + now;
    const worse = Math.log(changed) - Math.log(total);
    if (worse > 0 && next(1e9) / 1e9 >= Math.exp(-worse / Math.exp((-7 * step) / STEPS))) {
      Object.assign(choice, before);
      continue;
    }
    [prices[before.bucket], prices[choice.bucket], total] = [old, now, changed];
    if (total < best.cost) best = { choices: choices.map((one) => ({ ...one })), cost: total };
  }
  return best;
}

function tablesOf(buckets: readonly (readonly Shape[])[]): Uint8Array {
  const tables = new Uint8Array(WIDTH * 32);
  buckets.forEach((shapes, bucket) => {
    for (const { low, high } of shapes)
      for (let place = 0; place < WIDTH; place++)
        for (let nibble = 0; nibble < 16; nibble++) {
          const at = place * 32 + nibble;
          tables[at] = (tables[at] as number) | ((((low[place] as number) >> nibble) & 1) << bucket);
          tables[at + 16] = (tables[at + 16] as number) | ((((high[place] as number) >> nibble) & 1) << bucket);
        }
  });
  return tables;
}

function writePlan(): void {
  const { choices, cost } = choose();
  const buckets = Array.from({ length: ANCHOR_BUCKETS }, (_, bucket) =>
    choices.filter((choice) => choice.bucket === bucket).map((choice) => choice.shape),
  );
  buckets.push([shapeOf(columns(escapeWindows()))], [shapeOf(columns(oddWindows().map(({ window }) => window)))]);
  const offsets = choices.map(({ shape }) => (shape.offset + 1).toString(36)).join('');
  const text = `/** Made by scripts/redaction-plan.ts from the rules' anchors. A test says when it no longer fits them. */

/** For each anchor, in order: first byte of the window that is searched, plus 1, to base 36. */
export const WINDOW_OFFSETS =
${lines(offsets)};

/** Nibble tables of the scanner, 128 bytes in base64. */
export const NIBBLE_TABLES =
${lines(Buffer.from(tablesOf(buckets)).toString('base64'))};
`;
  writeFileSync(new URL('prefilter-plan.ts', FOLDER), text);
  console.log(`${choices.length} anchors; expected places to look at per KB: ${(cost * 1024).toFixed(1)}`);
}

const lines = (text: string): string => (text.match(/.{1,110}/g) ?? []).map((line) => `  '${line}'`).join(' +\n');

interface Wabt {
  parseWat(
    name: string,
    text: string,
    features: { simd: boolean },
  ): { toBinary(options: object): { buffer: Uint8Array } };
}

async function writeScanner(): Promise<void> {
  const load = createRequire(import.meta.url)('wabt') as () => Promise<Wabt>;
  const wat = readFileSync(new URL('teddy.wat', FOLDER), 'utf8');
  const { buffer } = (await load()).parseWat('teddy.wat', wat, { simd: true }).toBinary({});
  const text = `/** The bytes of teddy.wat, made by scripts/redaction-plan.ts --wat. */
export const TEDDY_WASM =
${lines(Buffer.from(buffer).toString('base64'))};
`;
  writeFileSync(new URL('teddy.ts', FOLDER), text);
}

writePlan();
if (process.argv.includes('--wat')) await writeScanner();
