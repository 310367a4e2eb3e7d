import { estimateTokens } from '../tokens/estimate.ts';
import type { Candidate, Section } from './item.ts';

/** What a text costs, in tokens of the target and in UTF-16 units. */
export interface Price {
  tokens: number;
  chars: number;
}

/** Up to this share of the room goes to P0 and P1 together; P2 takes what is left, and P1 again what P2 leaves. */
const P1_SHARE = 0.6;
/** However much P0 takes, P1 gets this share of what it leaves before P2 is asked. */
const LEAST_P1_SHARE = 0.5;
/** Estimates this far above the room that is left are believed without counting. */
const SURELY_TOO_MUCH = 0.6;
/** After so many items in a row that were counted and did not fit, the tier is full. */
const MISSES = 30;

export interface Purse {
  room: Price;
  measure: (text: string) => Price;
  /** tokens of the target for one of o200k */
  factor: number;
  /** price of a section's heading, paid with its first item */
  heading: (section: Section) => Price;
}

/**
 * Chooses among P1 (by worth per token, up to 60 % of the room, or half of what P0 leaves where that is more), P2, and P1
 * once more: nothing is left out while there is room for it. `taken` are the P0 items, paid already from `spent`. Returns
 * what is chosen, in the order of choosing. Same input, same choice.
 */
export function choose(
  purse: Purse,
  taken: readonly Candidate[],
  spent: Price,
  offers: readonly Candidate[],
): Candidate[] {
  const open = new Set<Section>(taken.map(({ kind }) => kind));
  const used = { ...spent };
  const share = { tokens: shareOf(purse.room.tokens, spent.tokens), chars: shareOf(purse.room.chars, spent.chars) };
  const chosen = new Set<Candidate>();
  const [p1, p2] = (['p1', 'p2'] as const).map((priority) =>
    ranked(
      offers.filter((offer) => offer.priority === priority),
      purse.factor,
    ),
  ) as [Candidate[], Candidate[]];
  for (const [tier, limit] of [
    [p1, share],
    [p2, purse.room],
    [p1, purse.room],
  ] as const) {
    let misses = 0;
    for (const item of tier) {
      if (chosen.has(item)) continue;
      const left = { tokens: limit.tokens - used.tokens, chars: limit.chars - used.chars };
      if (isTooLarge(item, left, purse.factor)) continue;
      const price = priceOf(purse, item, open);
      if (price.tokens > left.tokens || price.chars > left.chars) {
        if (++misses > MISSES) break;
        continue;
      }
      misses = 0;
      chosen.add(item);
      open.add(item.kind);
      used.tokens += price.tokens;
      used.chars += price.chars;
    }
  }
  return [...chosen];
}

/** What P0 and P1 may take together, where P0 has taken `spent`. */
function shareOf(room: number, spent: number): number {
  return Math.max(room * P1_SHARE, spent + (room - spent) * LEAST_P1_SHARE);
}

const sizes = new WeakMap<object, number>();

/** Estimated o200k tokens of an item; asked for several times, worked out once. */
export function sizeOf(item: { text: string }): number {
  const known = sizes.get(item) ?? estimateTokens(item.text);
  sizes.set(item, known);
  return known;
}

/** Worth per token, then the newer one, then the id: a total order that no locale can change. */
function ranked(items: readonly Candidate[], factor: number): Candidate[] {
  const score = new Map(items.map((item) => [item, item.weight / Math.max(1, sizeOf(item) * factor)]));
  const newest = (item: Candidate): number => item.provenance.at(-1) ?? 0;
  return items.toSorted((a, b) => score.get(b)! - score.get(a)! || newest(b) - newest(a) || (a.id < b.id ? -1 : 1));
}

function isTooLarge(item: Candidate, left: Price, factor: number): boolean {
  return item.text.length >= left.chars || sizeOf(item) * factor * SURELY_TOO_MUCH > left.tokens;
}

/** An item on lines of its own, with the heading of its section when it is the first there. */
function priceOf(purse: Purse, { text, kind }: Candidate, open: ReadonlySet<Section>): Price {
  const own = purse.measure(`${text}\n`);
  if (open.has(kind)) return own;
  const heading = purse.heading(kind);
  return { tokens: own.tokens + heading.tokens, chars: own.chars + heading.chars };
}
