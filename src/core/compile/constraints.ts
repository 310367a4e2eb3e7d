import { sentences } from './sentences.ts';

/** Words that leave no choice. */
const STRICT = [
  /\b(must|never|always|do not|don['’]t|should not|shouldn['’]t|may not|mustn['’]t|no new|under no|at all costs)\b/i,
  /必须|不要|不得|不能|不许|禁止|请勿|务必|一定要|始终|只能/,
];
/** Words that often set a rule, and often do not. */
const LOOSE = [
  /\b(only|without|make sure|ensure|avoid|keep|no longer|prefer|stay within|at (most|least)|instead of)\b/i,
  /只用|避免|保持|保留|确保|优先|不再|至少|至多|而不是/,
];

const LONGEST = 400;
const LONGEST_PROMPT = 4_000;

export interface Rule {
  text: string;
  strict: boolean;
}

/**
 * Sentences of a prompt in which its author sets a rule, word for word. Code, pasted content and quotes in it are not
 * the author's own words; what is very long is a paste, too.
 */
export function constraintsIn(prompt: string): Rule[] {
  const own = prompt
    .replace(/<pasted_content\b[\s\S]*?(<\/pasted_content>|$)/g, '\n')
    .replace(/```[\s\S]*?(```|$)/g, '\n')
    .replace(/^\s*>.*$/gm, '');
  if (own.length > LONGEST_PROMPT) return [];
  const rules: Rule[] = [];
  for (const text of sentences(own)) {
    if (text.length > LONGEST) continue;
    const strict = STRICT.some((words) => words.test(text));
    if (strict || LOOSE.some((words) => words.test(text))) rules.push({ text, strict });
  }
  return rules;
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

const LINK = /\bhttps?:\/\/[^\s<>"'`()[\]{}，。；、）】》]*[^\s<>"'`()[\]{}，。；、）】》.,;:!?]/g;

/** Addresses that a prompt names. */
export function linksIn(prompt: string): string[] {
  return [...new Set(prompt.match(LINK) ?? [])];
}
