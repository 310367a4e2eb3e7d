import type { Found } from './rule.ts';
import { ALL_RULES, EVERY_RULE, mayMatch, RULES, type RuleHits } from './rules.ts';
import { rulesFor } from './text-rules.ts';
import { viewOf } from './view.ts';

/** A secret in a text: a range of the text as given, and the secret in plain form (never to be stored). */
export interface SecretSpan {
  start: number;
  end: number;
  type: string;
  secret: string;
}

/** Shortest text in which a rule can match. */
const SHORTEST = 10;
/** Longer runs of base64 without any break are pictures and other blobs, no text. */
const BLOB = 512;
const BASE64_BLOB = /^(?:data:[\w.+/-]{1,80};base64,)?[A-Za-z0-9+/]+={0,2}$/;

interface Ranked extends Found {
  rank: number;
}

function candidates(text: string, rules: RuleHits): Ranked[] {
  const found: Ranked[] = [];
  for (const index of rules) {
    if (!mayMatch(text, index)) continue;
    for (const one of (RULES[index] as (typeof RULES)[number]).find(text)) found.push({ ...one, rank: index });
  }
  return found;
}

/**
 * Finds the secrets of one string. Overlapping finds become one span that covers them all and is named by the most
 * specific rule. Spans are sorted and do not overlap; they never cut an escape or a character in two.
 */
export function findSecrets(original: string, rules: RuleHits = ALL_RULES): SecretSpan[] {
  if (original.length < SHORTEST || (original.length >= BLOB && BASE64_BLOB.test(original))) return [];
  // Rules that a prefilter chose have their anchor in plain sight: no view is needed to see that this is not the string.
  const chosen = rules !== ALL_RULES && rules !== EVERY_RULE;
  if (chosen && !rules.some((rule) => mayMatch(original, rule))) return [];
  const view = viewOf(original);
  const worth = rules === ALL_RULES ? rulesFor(view.text) : rules;
  if (worth === null) return [];
  const found = candidates(view.text, worth);
  if (found.length === 0) return [];
  found.sort((a, b) => a.start - b.start || b.end - a.end || a.rank - b.rank);
  const spans: SecretSpan[] = [];
  for (let i = 0; i < found.length; ) {
    let best = found[i] as Ranked;
    const { start } = best;
    let { end } = best;
    for (i++; i < found.length && (found[i] as Ranked).start < end; i++) {
      const next = found[i] as Ranked;
      end = Math.max(end, next.end);
      if (next.rank < best.rank) best = next;
    }
    const [from, to] = view.original(start, end);
    const type = best.type ?? (RULES[best.rank] as (typeof RULES)[number]).type;
    spans.push({ start: from, end: to, type, secret: best.secret ?? view.text.slice(best.start, best.end) });
  }
  return spans;
}
