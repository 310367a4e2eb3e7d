/** Words in which people and agents say what they chose, in English and Chinese. */

/** Said as a decision. */
const EXPLICIT = [
  /^[^\p{L}]*(?:decision|decided|approach|choice|verdict|决定|方案|选型|结论)[^\p{L}\p{N}\s]*\s*[:：—]/iu,
  /^\W*(?:decision|decided)\b|^\W*决定/i,
  /\bwe agreed\b|\bas agreed\b|[库架式案]定为|说好了|商量好|^\W*(?:(?:chose|picked|settled on|opted for|went with)\b|the plan:)/i,
  /\b(?:I|we)(?:['’]ve| have)? (?:decided|settled on|opted for|agreed (?:on|to)|chosen?|picked|selected|went with|gone with|ended up (?:with|using))\b/i,
  /^[^\p{L}]*(?:settled|(?:my )?pick|my (?:choice|recommendation)|final (?:answer|call))\s*[:—]|^[^\p{L}]*\p{Script=Han}{0,8}(?<![个种套些])(?:方案|选型|决定)(?:定了|已定)?\s*[:：—]/iu,
  /(?:我|我们)(?:已经?)?(?:决定|选了|选择|选用|选定)|最终(?:决定|选择|选了|选用|采用|用)|就定|定下/,
];
/** Said of one thing among others: counts with a reason, or with something that has a name. */
const STRONG = [
  /\b(?:let['’]s|I['’]m|we['’]re|I['’]d) (?:go(?:ing)? with|stick(?:ing)? with|settl(?:e|ing) (?:on|for)|switch(?:ing)? to|mov(?:e|ing) to)\b|^going with\b/i,
  /\b(?:(?:better|best|right|safer|simpler|cleaner) (?:fit|choice|option|bet|call|way)|way to go|fits? better|works? better|it is(?=[:.,;!]|$)|recommendation is|(?:the )?plan is to|from here on|from now on)\b/i,
  /\b(?:is|are|runs?|uses?) now (?:built|based|using|running|on|handled)|now (?:uses|runs on|relies on|goes through)|(?:built|based) on(?: top of)?\b/i,
  /\b(?:replaced|swapped|migrated|switched|moved|reverted|ported|converted)\b.*\b(?:to|with|for|by|onto)\b|\b(?:back|over) to\b|\btakes? (?:its|their|the) place\b|\b(?:we|it|that)(?:['’]re| are| is|['’]s) on\b/i,
  /\b(?:stays?|remains?|keeps? (?:it|them)) (?:in|on|with|at)\b/i,
  /选了|选择(?![题器框了])|选择了|选用|采用|改用|改为|改成|就用|用的是|换成了?|沿用|放弃|更合适|更好|基于|统一(?:存|用|走|放|写|按)|(?<![挑筛可])选 ?[A-Za-z`]|这条路|来实现|来做|倾向于|建议是|(?:切换?|迁移|统一|退回|回|移)到|代替|取代|替换|替掉|不如/,
];
/** Counts with its reason only: agents also say that they use a tool. */
const WEAK = [
  /\b(?:I['’]ll|we['’]ll|I will|we will|let['’]s|we|I['’]m|I am|we['’]re|we are|I['’]ve|I|the code) (?:use[ds]?|using|go(?:ing)? with|switch(?:ing)? to|stick(?:ing)? with|drop(?:ping)?|keep(?:ing)?|kept|chose|picked)\b/i,
  /\b(?:lives?|stored|kept|goes|go|handled|done|written) (?:in|by|with)\b/i,
  /(?:用|走|上)\s*[\w@`*"“「]/,
];
/** Counts with its reason, and of something that has a name and is no file. */
const MADE =
  /\b(?:I|we)(?:['’]ve| have)? (?:added|built|implemented|wrote|rewrote|wrapped|made|did|solved|wired|put|set up)\b|\b(?:I|we)(?:['’]ll| will) \w+ .{1,60} (?:with|in|on|using) |(?:加|接|写|做|实现|引入)了/i;
const REASON = [
  /\b(?:because|since|so that|reason|given|instead|rather than|rules? (?:it|that) out|due to|considering|mainly|thanks to|otherwise|to avoid|over the|trade-?off|tie-?breaker)\b|\b(?:as|which) \S+ (?:is|are|needs?|would|can|keeps?|makes?|handles?|has)\b/i,
  /因为|由于|原因|考虑到|需要|而不是|以便|不合适|毕竟|鉴于|主要|关键|这样|为了|避免|更(?:快|轻|简单|稳|省)|够(?:用|轻|快)|熟悉|成熟|现成|体积/,
];
/** Something is given up, or found not to do. */
const CHANGE = [
  /\b(?:scrap|drop|ditch|forget|revert|undo|replac|swap|switch|migrat|abandon|rip|remov|supersed|discard)\w*\b|\b(?:gone|no longer|instead|rather than|no-go|dead end|second thoughts?|turns? out|changed my mind|back to|prefer|unfortunately|better)\b/i,
  /\b(?:take (?:that|it) back|any ?more|any longer|mov(?:e|ed|ing) (?:\w+ ){0,3}(?:over )?to|f(?:a|e)ll back|wrong|not do|too (?:slow|heavy|big|large|complex)|breaks?|fails?|failed)\b|(?:ca|wo|does|did|is|was)n['’]t\b|\bcannot\b/i,
  /算了|不要了?|别用|换|改用|改为|改成|改[回到]|别放|停[掉用]|改主意|(?:切换?|迁移?|退回?|回)到|迁移|退回|撤|放弃|弃用|移除|删掉|去掉|替|取代|行不通|不行|搞不定|不了|不支持|太[慢重大]|不再|不合适|与其|不如|重新考虑|判断错|不可行/,
];

/** A sentence is asked about several times in a row, alone and as the one before the next: the last answers are kept. */
function remembered(ask: (text: string) => boolean): (text: string) => boolean {
  let last: [text: string, answer: boolean] = ['', ask('')];
  let before = last;
  return (text) => {
    if (text === last[0]) return last[1];
    if (text === before[0]) return before[1];
    before = last;
    last = [text, ask(text)];
    return last[1];
  };
}

const any = (patterns: readonly RegExp[], text: string): boolean => patterns.some((pattern) => pattern.test(text));

/** Somebody who wants something done in another way. */
const DIRECTIVE = [
  /(?:^|[,.:;!—-] ?|\b(?:and|so|but|then|please|pls|just|actually|no|nah|nope|rather|instead|let['’]?s|should|(?:can|could|would|will) (?:you|we)) )(?:use|go (?:back|to|with|for)|keep|make it|switch|drop|scrap|forget|ditch|replace|move|migrate|change to|stick|take|pick|choose|abandon|stop using|get rid|prefer|remove|rip out|swap|not do|do not use|don['’]t use)\b/i,
  /\bgo(?:es)? (?:in)?to [A-Z]/,
  /\bI(?:['’]d| would)? (?:want|prefer|rather|like)\b(?! to (?:know|understand|see))|^(?:no|nah|nope)\b/i,
  /(?:^|[，。；：！,;:!\s]|请|就|先|还是|都|直接|那)(?:用|改|换|别用|不要|不用|放弃|弃用|去掉|撤掉|切|退回|回到|迁|统一|采用)|改用|改成|改为|换成|换掉|替换?掉|换 ?[A-Z]/,
];
const FORBIDS_CHANGE =
  /^\W*(?:please |pls )?(?:do not|don['’]t|never) (?:switch|replace|change|drop|remove|move|migrate|swap)|^请?(?:不要|别|不许|禁止)(?:换|改|替换|去掉|删|动|从|放弃)/i;
/** A person who wants it to stay. */
export const forbidsChange = (sentence: string): boolean => FORBIDS_CHANGE.test(sentence);

const WONDERS = /\b(?:wonder\w*|not sure|know (?:if|why|whether)|explain|understand why)\b/i;

/** Whether a person's sentence asks for another way. */
export const isDirective = (sentence: string): boolean => any(DIRECTIVE, sentence) && !WONDERS.test(sentence);

const QUESTION = /[?？]["'”’)\]]*\s*$|[吗么呢]["'”’）]*[。？！]?\s*$/;
/** Questions by which people ask for something. */
const ASKS_FOR =
  /^(?:\W|\w+, )*(?:can|could|would|will|shall|should) (?:you|we|I)\b|\bplease\b|能不能|能否|可否|要不|可以.*吗/i;

/** A question that asks for nothing but an answer. */
export const isOnlyAsked = (sentence: string): boolean => QUESTION.test(sentence) && !ASKS_FOR.test(sentence);
export const isQuestion = (sentence: string): boolean => QUESTION.test(sentence);

/** Whether a sentence tells a choice. `names` are the distinctive ones in it. */
export function isChoice(sentence: string, names: ReadonlySet<string>): boolean {
  if (any(STRONG, sentence)) return names.size > 0 || amongChinese(sentence).length > 0 || any(REASON, sentence);
  if (!any(REASON, sentence)) return false;
  return (
    any(WEAK, sentence) ||
    (MADE.test(sentence) && [...names, ...amongChinese(sentence)].some((name) => !FILE.test(name)))
  );
}

export const isExplicit = (sentence: string): boolean => any(EXPLICIT, sentence);
export const speaksOfChange = remembered((text: string): boolean => any(CHANGE, text));
/** Words with which a sentence of choice begins to lean on the one before. */
export const isChoosing = remembered((sentence: string): boolean => any(STRONG, sentence) || any(WEAK, sentence));

const QUOTED = /`([^`\s]{2,60})`|\*\*([\p{L}\p{N}_@./-]{2,60})\*\*|["“「]([\w@./-]{2,60})["”」]/gu;
const IDENTIFIER = /(?<![\w@/.-])@?\w+(?:[-_./@:]\w+)+|(?<![\w-])(?:[A-Za-z]+\d\w*|[a-z]+[A-Z]\w*)/g;
/** Not at the start of a sentence, where every word has a capital. */
const CAPITAL = /(?<=[\p{L}\p{N},;:] )[A-Z][a-z]\w+/gu;
const BESIDE_CHINESE = /(?<=[\u4e00-\u9fff，：。] ?)[A-Z][\w@./-]+/g;

/** What has a name of its own in a text: quoted, like an identifier, or with a capital within a sentence. */
export function distinctive(text: string): Set<string> {
  const names = [...text.matchAll(QUOTED)].map((match) => (match[1] ?? match[2] ?? match[3])!);
  for (const pattern of [IDENTIFIER, CAPITAL, BESIDE_CHINESE]) names.push(...(text.match(pattern) ?? []));
  return new Set(names.map(bare).filter((name) => name.length > 1));
}

/** A name without the punctuation behind it. */
export const bare = (name: string): string => name.replace(/[./:-]+$/, '');

/** In Chinese every Latin word is a name of something. */
const AMONG_CHINESE =
  /(?<=[\u4e00-\u9fff，：。（] ?)[a-z][\w@./-]{2,60}|(?<![\w@/.-])[a-z][\w@./-]{2,60}(?= ?[\u4e00-\u9fff])/g;
const ACRONYM = /(?<![\w@/.-])[A-Z][A-Z\d]{1,11}(?![\w-])/g;
const WORD = /[\p{L}\p{N}_@][\w@./:-]*/gu;
const FILE = /^[^@].*\/|\.[a-z]{1,4}$/;

const amongChinese = (text: string): string[] => (text.match(AMONG_CHINESE) ?? []).map(bare);

/** What somebody wants who says no more than its name: "X please", "还是 X 吧". */
const WANTED =
  /(?<![\w@/.-])([\w@][\w@./-]{1,60})["'`*]{0,3} (?:please\b|pls\b|(?:then|it is|instead)(?=[.,;!]|$)|will do\b|is enough\b)|(?:还是|直接|就)\s*[用走选写]?\s*([\w@][\w@./-]{1,60})|(?<![\w@/.-])([\w@][\w@./-]{1,60})\s*(?:吧|就行|就好|即可)/gi;
const wanted = (text: string): string[] =>
  [...text.matchAll(WANTED)]
    .map((match) => bare((match[1] ?? match[2] ?? match[3])!))
    .filter((name) => name.length > 2);

/** Whether a person names something and no more, as what is wanted. */
export const wantsByName = (text: string): boolean => wanted(text).length > 0;

const SPOKEN_OF = /(?:^|[,;:.] )([\w@][\w@./-]{2,60})(?= (?:is|was|are|were|gets?|costs?|feels?|looks?|seems?)\b)/g;

/** Everything in a text that may be a name, and whether it turns to something by it. */
export function mentioned(text: string): {
  words: Set<string>;
  /** what it speaks of first */
  first: string[];
  latin: string[];
  turnsTo: (but: string) => boolean;
} {
  const latin = amongChinese(text);
  const names = [...distinctive(text), ...(text.match(ACRONYM) ?? []), ...latin].filter((name) => !FILE.test(name));
  const first = [...text.matchAll(SPOKEN_OF)].map((match) => match[1]!);
  const wants = wanted(text);
  return {
    words: new Set((text.match(WORD) ?? []).map(bare)),
    first,
    latin,
    turnsTo: (but) =>
      // "fix the Redis test please" wants no test in the place of Redis
      wants.some((name) => name !== but && (first.includes(but) || names.includes(name))) ||
      names.some((name) => name !== but && (turnedTo(text, name) || isPutIn(text, name))),
  };
}

const TARGET =
  /(?:\b(?:to|with|use|using|onto|prefer|choose|take|keep|make it|be|is)|[到用成为换是至放回选走]) ?[`*"“「]*$/i;

/** Names of a text that it turns to, not away from: "go back to X", "改用 X". */
export function turnedTo(text: string, name: string): boolean {
  const at = text.lastIndexOf(name);
  return (
    at > 0 &&
    TARGET.test(text.slice(Math.max(0, at - 12), at)) &&
    !/(?:不|别|与其)(?:再|使)?[用放走选] ?$/.test(text.slice(0, at))
  );
}

/** "keep them in X" */
const isPutIn = (text: string, name: string): boolean =>
  /\b(?:keep|put|store|save|move|do|run|write)\b[^,.;]{0,40} (?:in|on|into|onto) ?$/i.test(
    text.slice(0, text.lastIndexOf(name)).slice(-60),
  );

/** One may stand right behind the other: “decided to use X”. */
const CHOSEN =
  /(?:\b(?:us(?:e[ds]?|ing)|with|on|onto|to|in|by|via|over to|as|is|adopt\w*|chose|chosen|choose|pick(?:ed|ing)?|select\w*|keep(?:ing)?|kept|prefer|for|gets?) (?:an? |the )?|[:：—] ?|(?:采用|选用|选了|选择了?|沿用|改用|改为|改成|换成|换为|基于|(?<![不别再使其])[用选走到定上是为]) ?)(?=["'“‘「`*]{0,3}([\p{L}\p{N}_@][\w@./:-]{0,80}))/giu;
const CHOSEN_BEFORE =
  /([\w@][\w@./:-]{1,60})["'”’」`*]{0,3},? ?(?:it is\b|is (?:the|a) \w+|takes? \w+ place|replaces|handles|更合适|更好|取代|代替)/gi;
/**
 * What a decision chose. `things` have a name of their own and stand where one says what one chooses; `words` are what else is
 * named in it: ordinary words in that place, and names elsewhere in it.
 */
export function chosenIn(text: string, givenUp: ReadonlySet<string>): { things: Set<string>; words: Set<string> } {
  const placed = new Set<string>();
  for (const pattern of [CHOSEN, CHOSEN_BEFORE])
    for (const match of text.matchAll(pattern)) placed.add(bare(match[1]!));
  for (const name of amongChinese(text)) placed.add(name);
  const names = distinctive(text);
  for (const [acronym] of text.matchAll(ACRONYM)) names.add(acronym);
  const things = new Set<string>();
  const words = new Set<string>();
  for (const name of new Set([...placed, ...names])) {
    const isNamed = names.has(name) || /^[A-Z]\w*$/.test(name);
    if (isNamed && placed.has(name)) things.add(name);
    else if (name.length > 2 && !givenUp.has(name)) words.add(name);
  }
  return { things, words };
}
