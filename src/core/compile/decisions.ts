import {
  chosenIn,
  distinctive,
  forbidsChange,
  isChoice,
  isChoosing,
  isDirective,
  isExplicit,
  isOnlyAsked,
  isQuestion,
  mentioned,
  speaksOfChange,
  turnedTo,
  wantsByName,
} from './choices.ts';
import { givenUp } from './given-up.ts';
import type { Said } from './said.ts';
import { ends, sentences } from './sentences.ts';

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

/** Nobody decides in a longer sentence: it is output that somebody quoted, without a break. */
const LONGEST = 2000;

/** Of a longer message the ends are looked at. */
const LOOK = 60_000;

/**
 * Decisions that were made in words, oldest first. A later decision, or a person who asks for another way, supersedes an
 * earlier one when it gives up by its name the very thing that was chosen. What speaks against it in another way puts it in
 * doubt: by an ordinary word, with a condition, as a question that asks for a change, for a part of it. A question that wants
 * an answer does nothing. Nothing is inferred: what is not said as a decision is none.
 */
export function decisionsIn({ prompts, replies }: { prompts: readonly Said[]; replies: readonly Said[] }): Decided[] {
  const ledger = new Ledger();
  for (const message of inOrder(prompts, replies)) {
    const all = sentences(ends(message.text, LOOK)).filter(({ length }) => length <= LONGEST);
    for (const [at, sentence] of all.entries())
      if (!isOnlyAsked(sentence)) readSentence(ledger, message, sentence, all[at - 1]);
  }
  return ledger.all;
}

function readSentence(ledger: Ledger, { seq, isReply }: Message, sentence: string, before: string | undefined): void {
  const { said, takesBack } = ledger.doubt(sentence, before, seq, isReply);
  const words = said.join(' ');
  const gaveUp = givenUp(words);
  const explicit = isExplicit(sentence);
  const chooses = gaveUp.length > 0 ? isChoosing(sentence) : isReply && isChoice(sentence, distinctive(sentence));
  const decides = explicit || chooses || (isReply ? takesBack : isDirective(sentence));
  if (isReply && !decides) return;
  const isFirm = decides && !isQuestion(sentence);
  const superseded = gaveUp.filter((one) => isFirm && one.isFirm && ledger.supersede(one.name, seq));
  const doubted = gaveUp.filter((one) => !superseded.includes(one) && ledger.doubtName(one.name, seq));
  if (isReply || takesBack || superseded.length > 0 || (decides && doubted.length > 0))
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

type Message = Said & { isReply: boolean };

function inOrder(prompts: readonly Said[], replies: readonly Said[]): Message[] {
  return [
    ...prompts.map((said) => ({ ...said, isReply: false })),
    ...replies.map((said) => ({ ...said, isReply: true })),
  ].sort((a, b) => a.seq - b.seq);
}

/** Decisions by what they chose. */
class Ledger {
  readonly all: Decided[] = [];
  /** by its own name, as it is written */
  readonly #things = new ByName();
  /** by whatever is named as chosen, in small letters */
  readonly #words = new ByName();

  add(decided: Decided): void {
    this.all.push(decided);
    const { things, words } = chosenIn(decided.text, new Set(givenUp(decided.text).map(({ name }) => name)));
    for (const name of things) this.#things.add(name, decided);
    for (const name of new Set([...things, ...words].map((word) => word.toLowerCase()))) this.#words.add(name, decided);
  }

  supersede(name: string, by: number): boolean {
    return this.#things.settle(name, by, (decided) => {
      decided.supersededBy ??= by;
    });
  }

  doubtName(name: string, by: number): boolean {
    return this.#words.settle(name.toLowerCase(), by, (decided) => {
      decided.doubtedBy ??= by;
    });
  }

  /**
   * Whether a sentence, alone or with the one before, speaks of a change, of something that was chosen before and of something
   * else; and the words that do.
   */
  doubt(
    sentence: string,
    before: string | undefined,
    by: number,
    isReply: boolean,
  ): { said: string[]; takesBack: boolean } {
    const said = withReasonBefore(sentence, before);
    if (this.#doubt(said.join(' '), by, isReply)) return { said, takesBack: true };
    if (before === undefined || said.length > 1 || !this.#doubt(`${before} ${sentence}`, by, isReply))
      return { said, takesBack: false };
    return { said: [before, sentence], takesBack: true };
  }

  #doubt(text: string, by: number, isReply: boolean): boolean {
    const speaks = speaksOfChange(text);
    const asks = !isReply && (isDirective(text) || wantsByName(text));
    if ((!speaks && !asks) || forbidsChange(text)) return false;
    const names = distinctive(text);
    const isAbout = (name: string): boolean => !turnedTo(text, name) && this.doubtName(name, by);
    if (speaks && names.size > 1 && [...names].filter(isAbout).length > 0) return true;
    const { words, first, latin, turnsTo } = mentioned(text);
    const chosen = [...words].filter((word) => this.#things.has(word, by));
    return [...chosen, ...(asks ? first : []), ...latin].filter((name) => turnsTo(name) && isAbout(name)).length > 0;
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

  has(name: string, before: number): boolean {
    return (this.#known.get(name)?.first ?? before) < before;
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
