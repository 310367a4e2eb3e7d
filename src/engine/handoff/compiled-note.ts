import type { CompiledContext } from '../../shared/compiled.ts';

/**
 * Payload of `context.compiled`: what a page that went along took from the log, and all that it left out, by the events that
 * it comes from. Texts are not repeated: they stand in the log.
 */
export interface CompiledNote {
  target: string;
  budget: number;
  tokens: number;
  sha256: string;
  /** last event that was looked at */
  at_seq: number;
  summariser: string;
  items: { kind: string; priority: string; trust: string; tokens: number; seqs: number[] }[];
  dropped: { kind: string; reason: string; tokens: number; seqs: number[] }[];
  /** how many of either are not listed; absent = none */
  unlisted?: { items: number; dropped: number };
  cannot_see: string[];
}

/** An event is no place for endless lists: what is above this is counted. */
const MOST_ITEMS = 1000;
const MOST_SEQS = 50;

export function noteOf(compiled: CompiledContext): CompiledNote {
  const { target, budget, tokens, sha256, head, summariser, items, dropped, cannot_see } = compiled;
  const unlisted = { items: Math.max(0, items.length - MOST_ITEMS), dropped: Math.max(0, dropped.length - MOST_ITEMS) };
  return {
    target,
    budget,
    tokens,
    sha256,
    at_seq: head,
    summariser: summariser.name,
    items: items
      .slice(0, MOST_ITEMS)
      .map((item) => ({ ...sourceOf(item), priority: item.priority, trust: item.trust })),
    dropped: dropped.slice(0, MOST_ITEMS).map((item) => ({ ...sourceOf(item), reason: item.reason })),
    ...(unlisted.items + unlisted.dropped > 0 ? { unlisted } : {}),
    cannot_see,
  };
}

const sourceOf = ({
  kind,
  tokens,
  provenance,
}: CompiledContext['items'][number] | CompiledContext['dropped'][number]) => ({
  kind,
  tokens,
  seqs: provenance.slice(0, MOST_SEQS),
});
