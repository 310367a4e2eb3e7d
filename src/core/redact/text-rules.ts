import { Prefilter } from './prefilter.ts';
import { ALL_RULES, EVERY_RULE, type RuleHits } from './rules.ts';

/** The prefilter for text that is no raw line: a decoded string, a side file, a row of a database. */

/** Characters scanned at once; the rest overlaps, so that no anchor is cut from its context. */
const PIECE = 256 * 1024;
const OVERLAP = 1024;
/** UTF-8 needs at most 3 bytes for a UTF-16 unit. */
const MOST_BYTES = 3 * PIECE;
const SPACE = 0x20;

const encoder = new TextEncoder();
let scanner: Prefilter | null = null;

/** Rules that may find something in a view's text; null = none. */
export function rulesFor(text: string): RuleHits | null {
  scanner ??= new Prefilter();
  const found = new Set<number>();
  for (let start = 0; start < text.length; start += PIECE - OVERLAP) {
    const piece = text.length <= PIECE ? text : text.slice(start, start + PIECE);
    // The scanner wants something before the first anchor.
    const memory = scanner.reserve(1 + MOST_BYTES);
    memory[0] = SPACE;
    const { written } = encoder.encodeInto(piece, memory.subarray(1));
    scanner.scan(0, 1 + written);
    const { rules } = scanner.line(1 + written);
    // What is still odd in a view is odd indeed.
    if (rules === ALL_RULES) return EVERY_RULE;
    for (const rule of rules ?? []) found.add(rule);
  }
  return found.size === 0 ? null : [...found];
}
