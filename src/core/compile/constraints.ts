import { ends, sentences } from './sentences.ts';

/** Words that leave no choice: what is forbidden, and what is always asked for. */
const STRICT = [
  /\b(must|never|always|do not|don['’]t|should not|shouldn['’]t|may not|mustn['’]t|no new|under no|at all costs)\b/i,
  /\b(off[- ]limits|hands off|forbidden|not allowed|read[- ]only|(?:leave|let|keep)\b.{1,80}\b(?:alone|untouched|out of (?:it|this)|as (?:it|they) (?:is|are)))\b/i,
  /\b(?:you|we) (?:can['’]t|cannot|can not)\b|\bnot (?:be )?(?:committed|changed|edited|touched|renamed|removed|deleted)\b/i,
  /\b(?:nothing|nobody|no one|none)\b.{1,60}\b(?:may|can|must|should|shall)\b|\b(?:stay|keep) (?:out of|away from)\b|\b(?:stays?|remains?) (?:exactly )?as (?:it|they) (?:is|are)\b/i,
  /\b(?:ask|check with|tell|wait for) (?:me|us)\b.{0,30}\b(?:before|first)\b|\bno (?:push(?:es|ing)?|commits?|force|edits?|changes?)\b|\b(?:may|can|must|should) only\b/i,
  /(?:没有?|未经).{0,12}(?:同意|确认|允许|批准)|不能(?:变|破坏|丢|少|出现)|才能|才可以|禁用|严禁|不准|一律|除了.*都(?:可以|能|行)|先问|不许?碰|(?:其他|其它|别的).{0,12}不(?:碰|动|改)/,
  /必须|不要|不得|(?<!能)不能|不许|禁止|请勿|务必|一定要|始终|只能|不允许|不可以|千万|只读/,
  /别(?:动|碰|改|删|用|把|在|再|去|往|让|给|装|加|升|写|提|推|引)|(?:先|暂时?|都)(?:不要?|别|不能)(?:动|碰|改|删|用|做)/,
];
/** Words that often set a rule, and often do not. */
const LOOSE = [
  /\b(only|without|make sure|ensure|avoid|keep|no longer|prefer|stay within|at (most|least)|instead of|rather than)\b/i,
  /\b(?:needs?|ha(?:s|ve)) to\b|\bneed(?:s|ed)?\b.{1,40}\bfor now\b|\bstick (?:to|with)\b|\brather you\b|\bbe careful\b|\bplease (?:stay|leave|respect|follow)\b/i,
  /\b(?:from now on|from here on|each time|every time|before (?:each|every|any)|after (?:each|every)|whenever|until|for now|not yet|whatever you do)\b/i,
  /\b(?:by hand|manual(?:ly)?|compatib\w+|is generated|out of scope|owned by|belongs? to|nobody should|no one should)\b|^no [a-z]+.* (?:in|for|to|from|on|there|here)\b/i,
  /^(?:pls |please |and |also )?no (?!problem|worries|idea|need|rush|matter|way|one\b|longer)\w+|\b(?:every|each|all|any) (?:new )?[\w ]{1,30}\b(?:go|gets?|needs?|has|have|must|should|follows?|goes|comes)\b|\b(?:follows?|stick to|conform\w*) (?:the |our )?[\w ]{1,30}(?:style|convention|guide|rules?|format|commits)\b/i,
  /^(?:please |pls )?(?:ignore|answer in|reply in|respond in) |\b(?:one|at most|no more than) .{1,30} (?:per|each|a time)\b|\bI(?:['’]ll| will) .{1,40} myself\b|\b(?:when|once) you(?:['’]re| are) done\b|\bis protected\b|\buse the existing\b|\bask before\b|\bbefore you\b|\bwhere (?:it|they) (?:is|are)\b|\b(?:and|then) ask\b|\btests? first\b/i,
  /不超过|最多|用现有|停下来|问我|前先|先.{1,12}再|严格|我自己/,
  /^(?:please |pls )?use (?:tabs|spaces|only)\b|\bin (?:English|Chinese|German) (?:only|please)\b|每个.*(?:都|要|得|须)|凡是|统一(?:用|写|使用)|用(?:英文|中文)|保证|\b(?:anything|everything) (?:except|but)\b/i,
  /只用|只改|避免|保持|保留|确保|优先|不再|至少|至多|而不是|尽量|注意|不变|兼容|一致|仅限|除非/,
  /(?:以后|今后|从现在起|从现在开始|每次|所有|任何).*(?:都|要|得|先|须)|不用(?:管|动|改)|无需|暂时|负责/,
];
/** What its author does not know or have is no rule. */
const NO_RULE =
  /\bI (?:really )?(?:don['’]t|do not) (?:know|have|think|see|understand|mind|care|remember|get|believe)\b/i;

const LONGEST = 400;
/** A prompt of more words than these has pasted content in it, marked or not. */
const LONGEST_PROMPT = 4_000;
/** Of a very long prompt the ends are looked at: nobody types in the middle of a paste. */
const LOOK = 60_000;
/** So many rules of a long prompt leave no choice; a specification has hundreds. */
const MOST_STRICT = 30;

export interface Rule {
  text: string;
  strict: boolean;
}

/**
 * Sentences of a prompt in which its author sets a rule, word for word. Code, pasted content and quotes in it are not
 * the author's own words. Of a long prompt the parts between blank lines count that read as if somebody had typed them.
 */
export function constraintsIn(prompt: string): Rule[] {
  const own = prompt
    .replace(/<pasted_content\b[\s\S]*?(<\/pasted_content>|$)/g, '\n')
    .replace(/```[\s\S]*?(```|$)/g, '\n')
    .replace(/^[^\S\n]*>.*$/gm, '');
  const isLong = own.length > LONGEST_PROMPT;
  const rules: Rule[] = [];
  for (const text of sentences(isLong ? typedParts(own) : own)) {
    if (text.length > LONGEST || NO_RULE.test(text)) continue;
    const strict = STRICT.some((words) => words.test(text));
    if (strict || LOOSE.some((words) => words.test(text)))
      rules.push({ text, strict: strict && !(isLong && rules.length >= MOST_STRICT) });
  }
  return rules;
}

/** Parts between blank lines that read as prose or as a list. */
function typedParts(prompt: string): string {
  return ends(prompt, LOOK)
    .split(/\n(?:[^\S\n]*\n)+/)
    .filter(isTyped)
    .join('\n');
}

/** How a line of a log, of code or of data begins or ends. */
const MACHINE =
  /^\s*(?:\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d|\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b|at \S+\(|at \S+:\d|File "|\$ |[+@<{|}])|[;{}\\|>]\s*(?:\/\/.*)?$/;
const WORDS = /(?<!\p{L})(?:\p{L}+\P{L}+){3}|\p{Script=Han}{4}/u;
/** Of a line that somebody typed, this share at least is letters and spaces. */
const LETTERS = 0.75;

/** At least half of the lines read as prose, and few say the same again. */
function isTyped(part: string): boolean {
  const lines = part.split('\n').filter((line) => line.trim() !== '');
  return lines.filter(isProse).length * 2 >= lines.length && new Set(lines).size * 2 > lines.length;
}

function isProse(line: string): boolean {
  if (MACHINE.test(line) || !WORDS.test(line)) return false;
  return line.replace(/[^\p{L}\s]/gu, '').length >= line.length * LETTERS;
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
