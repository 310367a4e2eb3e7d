/** Lays what the target sends beside what the source would have sent, fact by fact (definitions: facts.ts). */
import { diffArrays } from 'diff';
import type { Limits } from './contract.ts';
import { canonicalJson, ERROR_MARK, type Fact, type FactKind, factsOf, type Item } from './facts.ts';
import { withoutNumbers } from './marks.ts';

export interface Difference {
  kind: FactKind;
  /** `lost`: not sent at all. `order`: sent, at another place. `wrong`: sent, though the source would not. */
  what: 'lost' | 'order' | 'wrong';
  expected?: string;
  got?: string;
}

export interface Comparison {
  total: number;
  carried: number;
  redacted: number;
  differences: Difference[];
  calls: { total: number; carried: number };
  images: { total: number; carried: number };
  /** Blocks of reasoning that the source sends, and that the target sends. */
  thinking: { source: number; target: number };
}

/**
 * Names under which a target may show a source's tool; everything else has to keep its name. `Task` is what older
 * clients recorded for the tool that the pinned one sends as `Agent`.
 */
const RENAMED: Record<string, readonly string[]> = {
  Bash: ['exec_command', 'shell', 'shell_command'],
  Agent: ['Task'],
};

/** Compares the oracle's items with the measured ones; the last prompt of both (the lab's own) is left out. */
export function compare(
  oracleItems: readonly Item[],
  measuredItems: readonly Item[],
  prompt: string,
  limits: Limits = {},
): Comparison {
  const source = within(limits, withoutPrompt(oracleItems, prompt));
  const oracle = factsOf(source);
  const arrived = within(limits, recogniseHarness(withoutPrompt(measuredItems, prompt), source));
  const measured = factsOf(recogniseNotifications(recogniseAttachments(arrived, source), source));
  const flagged = new Set(measured.facts.flatMap((fact) => (fact.kind === 'failure' ? [fact.call] : [])));
  const pairs = align(oracle.facts, measured.facts, flagged);
  const partner = new Map(
    pairs.filter(([a, b]) => a.kind === 'call' && b.kind === 'call').map(([a, b]) => [a.call, b.call]),
  );
  const isTied = ([a, b]: Pair): boolean =>
    (a.kind !== 'result' && a.kind !== 'failure') || partner.get(a.call) === b.call;
  const good = pairs.filter(isTied);
  const used = new Set(good.flat());
  const lost = oracle.facts.filter((fact) => !used.has(fact));
  const extra = measured.facts.filter((fact) => !used.has(fact) && fact.kind !== 'failure');
  return {
    total: oracle.facts.length,
    carried: good.length,
    redacted: good.filter(([a, b]) => PLACEHOLDER.test(b.text) && a.text !== b.text).length,
    differences: explain(lost, extra),
    calls: tally(oracle.facts, used, 'call'),
    images: tally(oracle.facts, used, 'image'),
    thinking: { source: oracle.thinking, target: measured.thinking },
  };
}

/** Normalisations 11 to 13: what the target's client cannot tell its model at all is asked of nobody. */
function within({ textFirst, joinsTexts, noFailures }: Limits, items: readonly Item[]): Item[] {
  const ordered = textFirst ? textsFirst(items) : items;
  const joined = joinsTexts === undefined ? ordered : textsJoined(ordered, joinsTexts);
  return joined.map((item) => (noFailures && item.kind === 'result' ? { ...item, error: false } : item));
}

const isReply = (item: Item | undefined): boolean => item?.kind === 'text' && item.role === 'assistant';

const isNoFact = (item: Item | undefined): boolean => item?.kind === 'harness' || item?.kind === 'thinking';

/** In each run of texts and calls of the assistant that no fact of another kind breaks. */
function textsFirst(items: readonly Item[]): Item[] {
  const ordered: Item[] = [];
  for (let at = 0; at < items.length; ) {
    const from = at;
    while (items[at]?.kind === 'call' || isReply(items[at]) || isNoFact(items[at])) at++;
    const run = items.slice(from, at);
    ordered.push(...run.filter(isNoFact), ...run.filter(isReply), ...run.filter(({ kind }) => kind === 'call'));
    if (at < items.length) ordered.push(items[at++]!);
  }
  return ordered;
}

/** What is no fact may stand between the texts: the target's client does not get it. */
function textsJoined(items: readonly Item[], joint: string): Item[] {
  const joined: Item[] = [];
  for (const item of items) {
    const at = joined.findLastIndex((one) => !isNoFact(one));
    const last = joined[at];
    if (item.kind === 'text' && last?.kind === 'text' && isReply(item) && isReply(last))
      joined[at] = { ...last, text: `${last.text}${joint}${item.text}` };
    else joined.push(item);
  }
  return joined;
}

function withoutPrompt(items: readonly Item[], prompt: string): Item[] {
  const last = items.findLastIndex(
    (item) => item.kind === 'text' && item.role === 'user' && item.text.trim() === prompt,
  );
  return items.filter((_item, index) => index !== last);
}

function tally(facts: readonly Fact[], used: ReadonlySet<Fact>, kind: FactKind): { total: number; carried: number } {
  const all = facts.filter((fact) => fact.kind === kind);
  return { total: all.length, carried: all.filter((fact) => used.has(fact)).length };
}

type Pair = [oracle: Fact, measured: Fact];

/** Longest common sequence of equal facts. `failure` has no item of its own at the target: it rides on its result. */
function align(oracle: readonly Fact[], measured: readonly Fact[], flagged: ReadonlySet<unknown>): Pair[] {
  const expected = oracle.filter((fact) => fact.kind !== 'failure');
  const got = measured.filter((fact) => fact.kind !== 'failure');
  const pairs: Pair[] = [];
  let at = 0;
  let beside = 0;
  for (const change of diffArrays<Fact>(expected, got, { comparator: (a, b) => sameFact(a, b) })) {
    const size = change.value.length;
    if (change.removed) at += size;
    else if (change.added) beside += size;
    else {
      for (let step = 0; step < size; step++) pairs.push([expected[at + step]!, got[beside + step]!]);
      at += size;
      beside += size;
    }
  }
  return [...pairs, ...failurePairs(oracle, pairs, flagged)];
}

/** An error flag is carried when the result that arrives says so itself, at its start or, as commands do, at its end. */
const SAYS_ERROR =
  /error|exit code:? -?[1-9]|fail|exception|traceback|reject|refus|doesn't want to proceed|denied|not found|no such|cannot|does not exist|interrupt|abort|not run|no result|unsupported|invalid|unknown/i;
const LOOK_AT = 2000;

/** `flagged`: calls whose result arrived with the flag itself. */
function failurePairs(oracle: readonly Fact[], pairs: readonly Pair[], flagged: ReadonlySet<unknown>): Pair[] {
  return oracle.flatMap((fact): Pair[] => {
    if (fact.kind !== 'failure') return [];
    const arrived = pairs.find(([a]) => a.kind === 'result' && a.call === fact.call)?.[1];
    const isSaid = arrived !== undefined && (flagged.has(arrived.call) || saysError(arrived.text));
    return isSaid ? [[fact, { ...arrived, kind: 'failure' }]] : [];
  });
}

function saysError(text: string): boolean {
  return SAYS_ERROR.test(text.slice(0, LOOK_AT)) || SAYS_ERROR.test(text.slice(-LOOK_AT));
}

/** Whether the measured fact says what the oracle's says. */
export function sameFact(oracle: Fact, measured: Fact): boolean {
  if (oracle.kind !== measured.kind) return false;
  if (oracle.kind === 'call')
    return sameName(oracle.name ?? '', measured.name ?? '') && sameArguments(oracle, measured);
  if (oracle.kind === 'result') return sameText(oracle.text, measured.text.replace(ERROR_MARK, ''));
  if (oracle.kind === 'attachment')
    return holdsAttachment(measured.text, oracle) || sameText(oracle.text, measured.text);
  return sameText(oracle.text, measured.text);
}

function sameName(oracle: string, measured: string): boolean {
  return oracle === measured || (RENAMED[oracle] ?? []).includes(measured);
}

/** Under the own name: equal JSON. Under another name: every value is there. */
function sameArguments(oracle: Fact, measured: Fact): boolean {
  if (oracle.name === measured.name) return sameText(canonicalJson(oracle.args), canonicalJson(measured.args));
  const got = leaves(measured.args);
  return leaves(oracle.args).every((value) => got.some((other) => sameText(value, other)));
}

function leaves(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.values(value).flatMap(leaves);
}

const PLACEHOLDER = /\[REDACTED:[a-z0-9_-]+:\d+\]/i;

/** Equal, or equal outside of placeholders. */
export function sameText(oracle: string, measured: string): boolean {
  if (oracle === measured) return true;
  if (!PLACEHOLDER.test(measured)) return false;
  let at = 0;
  const parts = measured.split(new RegExp(PLACEHOLDER.source, 'gi'));
  if (!oracle.startsWith(parts[0] ?? '') || !oracle.endsWith(parts.at(-1) ?? '')) return false;
  for (const part of parts) {
    const found = oracle.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return true;
}

function holdsAttachment(text: string, attachment: Fact): boolean {
  return text.includes(attachment.path ?? '') && withoutNumbers(text).includes(attachment.text);
}

/** Harness text of the source stays harness text when it arrives without the tags that its client puts around it. */
function recogniseHarness(measured: readonly Item[], oracle: readonly Item[]): Item[] {
  const notes = new Set(oracle.flatMap((item) => (item.kind === 'harness' ? [item.text.trim()] : [])));
  return measured.map((item) => {
    const isNote = item.kind === 'text' && item.role === 'user' && notes.has(item.text.trim());
    return isNote ? { kind: 'harness', text: item.text } : item;
  });
}

/** A target has no note for attached files: a prompt that holds path and content of one of the source's is that one. */
function recogniseAttachments(measured: readonly Item[], oracle: readonly Item[]): Item[] {
  const wanted = oracle.filter((item) => item.kind === 'attachment');
  return measured.map((item) => {
    if (item.kind !== 'text' || item.role !== 'user') return item;
    const match = wanted.find((fact) => holdsAttachment(item.text, { ...fact, kind: 'attachment' }));
    return match ?? item;
  });
}

/** Nor has every target one for the report of another agent: a prompt that ends with such a report is that one. */
function recogniseNotifications(measured: readonly Item[], oracle: readonly Item[]): Item[] {
  const wanted = oracle.flatMap((item) => (item.kind === 'notification' ? [item.text.trim()] : []));
  return measured.map((item) => {
    if (item.kind !== 'text' || item.role !== 'user') return item;
    const text = wanted.find((report) => report !== '' && item.text.trim().endsWith(report));
    return text === undefined ? item : { kind: 'notification', text };
  });
}

/** Names what went wrong; a lost and an extra fact that are equal are one fact at the wrong place. */
function explain(lost: readonly Fact[], extra: readonly Fact[]): Difference[] {
  const rest = [...extra];
  const differences = lost.map((fact): Difference => {
    const index = rest.findIndex((other) => sameFact(fact, other));
    if (index === -1) return { kind: fact.kind, what: 'lost', expected: fact.text };
    const [moved] = rest.splice(index, 1);
    return { kind: fact.kind, what: 'order', expected: fact.text, got: moved?.text ?? '' };
  });
  return [...differences, ...rest.map((fact): Difference => ({ kind: fact.kind, what: 'wrong', got: fact.text }))];
}
