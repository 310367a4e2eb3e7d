import { sentences } from './sentences.ts';

const RULES = [
  /\b(must|never|always|do not|don['’]t|should not|shouldn['’]t|may not|only|without|make sure|ensure|avoid|keep|no new|no longer|required?|prefer|stay within|at (most|least))\b/i,
  /必须|不要|不得|不能|不许|禁止|请勿|务必|一定要|始终|只能|只用|避免|保持|保留|确保|优先|不再|至少|至多/,
];

const LONGEST = 400;
const LONGEST_PROMPT = 8_000;

/**
 * Sentences of a prompt in which its author sets a rule, word for word. Code, pasted content and quotes in it are not
 * the author's own words; what is very long is a paste, too.
 */
export function constraintsIn(prompt: string): string[] {
  const own = prompt
    .replace(/<pasted_content\b[\s\S]*?(<\/pasted_content>|$)/g, '\n')
    .replace(/```[\s\S]*?(```|$)/g, '\n')
    .replace(/^\s*>.*$/gm, '');
  if (own.length > LONGEST_PROMPT) return [];
  return sentences(own).filter((sentence) => sentence.length <= LONGEST && RULES.some((rule) => rule.test(sentence)));
}

/** Questions at the end of a reply: what its author waits for. */
export function questionsAtEnd(reply: string): string[] {
  const all = sentences(reply);
  const found: string[] = [];
  for (let at = all.length - 1; at >= Math.max(0, all.length - 6); at--) {
    if (/[?？]["'”’)\]]*$/.test(all[at]!)) found.unshift(all[at]!);
  }
  return found;
}
