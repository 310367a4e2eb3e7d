import { distinctive, isChoice, isChoosing, isExplicit, speaksOfChange, turnedTo } from './choices.ts';
import type { Said } from './said.ts';
import { sentences } from './sentences.ts';

/** Something that was decided in the conversation, word for word. */
export interface Decided {
  seq: number;
  text: string;
  /** its sentences as they stand where it was said */
  sentences: readonly string[];
  /** said as a decision, not only as a choice with its reason */
  isExplicit: boolean;
  /** a person's own words, with which an earlier decision was taken back */
  isUsers: boolean;
  /** event that took it back */
  supersededBy: number | null;
  /** event that speaks of a change and of what was chosen here: perhaps it was taken back */
  doubtedBy: number | null;
}

/** What something is called: in quotes, or one word. */
const NAME = String.raw`["'“‘「\x60]?([\p{L}\p{N}_@][\p{L}\p{N}_@./:-]*)`;
const ASCII_NAME = String.raw`["'“‘「\x60]?([\w@][\w@./:-]*)`;
/** How people say what is no longer wanted; before each, what it cannot be without, since that is found much faster. */
const GIVEN_UP: readonly [must: RegExp, said: RegExp][] = [
  [
    / from |drop|wrong about|instead of|rather than|no longer|abandon|replac/i,
    new RegExp(
      String.raw`\b(?:(?:switch|move|change|migrate|go)\w* (?:away )?from|drop(?:ping)?|wrong about|instead of|rather than|no longer(?: us(?:e|ing))?|abandon(?:ing)?|replac(?:e|ed|ing)) ${NAME}`,
      'giu',
    ),
  ],
  [
    /放弃|弃用|不再|不用|去掉|而不是/,
    new RegExp(String.raw`(?:放弃|弃用|不再使用|不再用|不用|去掉|而不是)\s*${ASCII_NAME}`, 'gu'),
  ],
  [/从/, new RegExp(String.raw`从\s*${ASCII_NAME}\s*(?:改|换|切|迁)`, 'gu')],
  [/不合适|不行|不可行|被否决/, new RegExp(String.raw`${ASCII_NAME}\s*(?:不合适|不行|不可行|被否决)`, 'gu')],
];

/** Nobody decides in a longer sentence: it is output that somebody quoted, without a break. */
const LONGEST = 2000;

/**
 * Decisions that were made in words, oldest first. A later decision, or a person's prompt, that gives up what an earlier one
 * chose supersedes it; one that speaks of a change, of it and of something else puts it in doubt. Nothing is inferred: what is
 * not said as a decision is none.
 */
export function decisionsIn({ prompts, replies }: { prompts: readonly Said[]; replies: readonly Said[] }): Decided[] {
  const ledger = new Ledger();
  for (const { seq, text, isReply } of inOrder(prompts, replies)) {
    const all = sentences(text).filter(({ length }) => length <= LONGEST);
    for (const [at, sentence] of all.entries()) {
      const { said, takesBack } = ledger.doubt(sentence, all[at - 1], seq);
      const words = said.join(' ');
      const gaveUp = givenUp(words);
      const explicit = isExplicit(sentence);
      const isDecision =
        explicit || takesBack || (gaveUp.length > 0 ? isChoosing(sentence) : isChoice(sentence, distinctive(sentence)));
      if (isReply && !isDecision) continue;
      const superseded = gaveUp.filter((name) => ledger.supersede(name, seq)).length > 0;
      if (isReply || takesBack || superseded)
        ledger.add({
          seq,
          text: words,
          sentences: said,
          isExplicit: explicit,
          isUsers: !isReply,
          supersededBy: null,
          doubtedBy: null,
        });
    }
  }
  return ledger.all;
}

/** A text without the sentences that were taken back, and with a word on those in doubt; the rest stands as it was. */
export function withoutTakenBack(text: string, decided: readonly Decided[]): string {
  return decided.reduce((rest, one) => {
    if (one.supersededBy !== null) return one.sentences.reduce((left, said) => left.replace(said, () => '[…]'), rest);
    const last = one.sentences.at(-1) ?? one.text;
    return one.doubtedBy === null ? rest : rest.replace(last, () => withDoubt({ ...one, text: last }));
  }, text);
}

/** What was decided, and that a later event speaks against it. */
export function withDoubt({ text, doubtedBy }: Decided): string {
  return doubtedBy === null ? text : `${text} (perhaps superseded by e${doubtedBy})`;
}

/** People often give something up in one sentence and choose in the next. */
function withReasonBefore(sentence: string, before: string | undefined): string[] {
  if (before === undefined || givenUp(sentence).length > 0) return [sentence];
  return isChoosing(sentence) && speaksOfChange(before) ? [before, sentence] : [sentence];
}

function inOrder(prompts: readonly Said[], replies: readonly Said[]): (Said & { isReply: boolean })[] {
  return [
    ...prompts.map((said) => ({ ...said, isReply: false })),
    ...replies.map((said) => ({ ...said, isReply: true })),
  ].sort((a, b) => a.seq - b.seq);
}

function givenUp(text: string): string[] {
  return GIVEN_UP.flatMap(([must, said]) =>
    must.test(text) ? [...text.matchAll(said)].map((match) => bare(match[1]!)) : [],
  ).filter((name) => !EMPTY.has(name.toLowerCase()));
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
  readonly #named = new ByName();
  readonly #chosen = new ByName();

  add(decided: Decided): void {
    this.all.push(decided);
    const chosen = distinctive(decided.text);
    for (const name of namesIn(decided.text)) {
      this.#named.add(name, decided);
      if (chosen.has(name)) this.#chosen.add(name, decided);
    }
  }

  supersede(name: string, by: number): boolean {
    return this.#named.settle(name, by, (decided) => {
      decided.supersededBy ??= by;
    });
  }

  /**
   * Whether a sentence, alone or with the one before, speaks of a change, of something that was chosen before and of something
   * else; and the words that do.
   */
  doubt(sentence: string, before: string | undefined, by: number): { said: string[]; takesBack: boolean } {
    const said = withReasonBefore(sentence, before);
    if (this.#doubt(said.join(' '), by)) return { said, takesBack: true };
    if (before === undefined || said.length > 1 || !this.#doubt(`${before} ${sentence}`, by))
      return { said, takesBack: false };
    return { said: [before, sentence], takesBack: true };
  }

  #doubt(text: string, by: number): boolean {
    if (!speaksOfChange(text)) return false;
    const names = distinctive(text);
    if (names.size < 2) return false;
    const doubted = [...names].filter(
      (name) =>
        !turnedTo(text, name) &&
        this.#chosen.settle(name, by, (decided) => {
          decided.doubtedBy ??= by;
        }),
    );
    return doubted.length > 0;
  }
}

/** Decisions by name; each is settled once under it, so that a thing that is often spoken of costs no more than another. */
class ByName {
  readonly #known = new Map<string, { first: number; open: Decided[] }>();

  add(name: string, decided: Decided): void {
    const known = this.#known.get(name);
    if (known) known.open.push(decided);
    else this.#known.set(name, { first: decided.seq, open: [decided] });
  }

  /** Gives those from before an event, the first time that they are asked for. True = there are any, settled or not. */
  settle(name: string, before: number, use: (decided: Decided) => void): boolean {
    const known = this.#known.get(name);
    if (known === undefined || known.first >= before) return false;
    for (const decided of known.open) if (decided.seq < before) use(decided);
    known.open = known.open.filter(({ seq }) => seq >= before);
    return true;
  }
}

const WORD = /[\p{L}\p{N}_@][\p{L}\p{N}_@./:-]*/gu;
const ASCII_WORD = /[\w@][\w@./:-]*/g;

function namesIn(text: string): Set<string> {
  const words = [...text.matchAll(WORD), ...text.matchAll(ASCII_WORD)];
  return new Set(words.map(([word]) => bare(word)));
}

const bare = (name: string): string => name.replace(/[./:-]+$/, '');
