import type { Material, Said } from './material.ts';
import { sentences } from './sentences.ts';

/** Something that was decided in the conversation, word for word. */
export interface Decided {
  seq: number;
  text: string;
  /** said as a decision, not only as a choice with its reason */
  isExplicit: boolean;
  /** event that took it back */
  supersededBy: number | null;
}

const EXPLICIT = [
  /^\W*(?:decision|decided)\b/i,
  /\b(?:I|we)(?:['’]ve| have)? (?:decided|settled on|opted for|agreed (?:on|to))\b/i,
  /^\W*决定|(?:我|我们)(?:已经?)?决定/,
];
/** A choice counts with its reason, or against something: agents also say that they use a tool. */
const CHOICE = [
  /\b(?:I['’]ll|we['’]ll|I will|we will|let['’]s|we|I['’]m|we['’]re) (?:use|using|go(?:ing)? with|switch(?:ing)? to|stick(?:ing)? with|drop(?:ping)?|keep(?:ing)?)\b/i,
  /(?:采用|改用|改为|就用|换成|沿用|放弃)/,
];
const REASON = [
  /\b(?:because|since|so that|reason|given|instead|rather than|rules? (?:it|that) out)\b/i,
  /因为|由于|原因|考虑到|需要|而不是|以便|不合适/,
];

/** What something is called: in quotes, or one word. */
const NAME = String.raw`["'“‘「\x60]?([\p{L}\p{N}_@][\p{L}\p{N}_@./:-]*)`;
const ASCII_NAME = String.raw`["'“‘「\x60]?([\w@][\w@./:-]*)`;
/** How people say what is no longer wanted. */
const GIVEN_UP = [
  new RegExp(
    String.raw`\b(?:(?:switch|move|change|migrate|go)\w* (?:away )?from|drop(?:ping)?|wrong about|instead of|rather than|no longer(?: us(?:e|ing))?|abandon(?:ing)?|replac(?:e|ed|ing)) ${NAME}`,
    'giu',
  ),
  new RegExp(String.raw`(?:放弃|弃用|不再使用|不再用|不用|去掉|而不是)\s*${ASCII_NAME}`, 'gu'),
  new RegExp(String.raw`从\s*${ASCII_NAME}\s*(?:改|换|切|迁)`, 'gu'),
  new RegExp(String.raw`${ASCII_NAME}\s*(?:不合适|不行|不可行|被否决)`, 'gu'),
];

/**
 * Decisions that were made in words, oldest first. A later decision, or a person's prompt, that gives up what an earlier one
 * chose supersedes it. Nothing is inferred: what is not said as a decision is none.
 */
export function decisionsIn({ prompts, replies }: Pick<Material, 'prompts' | 'replies'>): Decided[] {
  const ledger = new Ledger();
  for (const { seq, text, isReply } of inOrder(prompts, replies)) {
    const all = sentences(text);
    for (const [at, sentence] of all.entries()) {
      const said = withReasonBefore(sentence, all[at - 1]);
      const gaveUp = givenUp(said);
      const isExplicit = EXPLICIT.some((words) => words.test(sentence));
      const isDecision = isExplicit || isChoice(sentence, gaveUp);
      if (isReply && !isDecision) continue;
      for (const name of gaveUp) ledger.supersede(name, seq);
      if (isReply) ledger.add({ seq, text: said, isExplicit, supersededBy: null });
    }
  }
  return ledger.all;
}

/** A text without the sentences that were taken back; the rest stands as it was. */
export function withoutTakenBack(text: string, takenBack: readonly Decided[]): string {
  return takenBack.reduce((rest, decided) => rest.replace(decided.text, '[…]'), text);
}

/** People often give something up in one sentence and choose in the next. */
function withReasonBefore(sentence: string, before: string | undefined): string {
  if (before === undefined || givenUp(sentence).length > 0) return sentence;
  const isOne = CHOICE.some((words) => words.test(sentence)) && givenUp(before).length > 0;
  return isOne ? `${before} ${sentence}` : sentence;
}

function inOrder(prompts: readonly Said[], replies: readonly Said[]): (Said & { isReply: boolean })[] {
  return [
    ...prompts.map((said) => ({ ...said, isReply: false })),
    ...replies.map((said) => ({ ...said, isReply: true })),
  ].sort((a, b) => a.seq - b.seq);
}

function isChoice(sentence: string, gaveUp: readonly string[]): boolean {
  if (!CHOICE.some((words) => words.test(sentence))) return false;
  return gaveUp.length > 0 || REASON.some((words) => words.test(sentence));
}

function givenUp(text: string): string[] {
  return GIVEN_UP.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => bare(match[1]!))).filter(
    (name) => !EMPTY.has(name.toLowerCase()),
  );
}

/** Words after which nothing is named. */
const EMPTY = new Set([
  'the',
  'a',
  'an',
  'it',
  'that',
  'this',
  'there',
  'here',
  'any',
  'all',
  'using',
  'use',
  'now',
  'what',
]);

/** Decisions by every name in them. */
class Ledger {
  readonly all: Decided[] = [];
  readonly #byName = new Map<string, Decided[]>();

  add(decided: Decided): void {
    this.all.push(decided);
    for (const name of namesIn(decided.text)) {
      const known = this.#byName.get(name);
      if (known) known.push(decided);
      else this.#byName.set(name, [decided]);
    }
  }

  supersede(name: string, by: number): void {
    for (const decided of this.#byName.get(name) ?? []) if (decided.seq < by) decided.supersededBy ??= by;
  }
}

const WORD = /[\p{L}\p{N}_@][\p{L}\p{N}_@./:-]*/gu;
const ASCII_WORD = /[\w@][\w@./:-]*/g;

function namesIn(text: string): Set<string> {
  const words = [...text.matchAll(WORD), ...text.matchAll(ASCII_WORD)];
  return new Set(words.map(([word]) => bare(word)));
}

const bare = (name: string): string => name.replace(/[./:-]+$/, '');
