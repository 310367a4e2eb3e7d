import { bare, isChoosing } from './choices.ts';

/** Words in which people and agents say what they no longer want, in English and Chinese. */

/** Something that a text gives up. */
export interface GivenUp {
  name: string;
  /** said without a condition, of the thing itself and of all of it */
  isFirm: boolean;
}

/** What something is called: in quotes, or one word. */
const NAME = String.raw`["'“‘「\x60*]{0,3}([\p{L}\p{N}_@][\p{L}\p{N}_@./:-]{0,80})`;
const ASCII_NAME = String.raw`["'“‘「\x60*]{0,3}([\w@][\w@./:-]{0,80})`;
const CLOSED = String.raw`["'”’」\x60*]{0,3}`;

/** Before each, what it cannot be without, since that is found much faster. */
type Pattern = readonly [must: RegExp, said: RegExp];

/** "switch from X": what stands behind is given up. */
const OBJECT: readonly Pattern[] = [
  [
    / from |drop|wrong about|instead of|rather than|no longer|abandon|replac|scrap|ditch|forget|swap|rid of|rip|remov|out of|stop using|, not |n['’]t |do not |cannot use|can not use|revert|undo |roll|tak(?:e|en|ing) out|any ?more| out\b/i,
    new RegExp(
      String.raw`(?:\b(?:(?:switch|move|change|migrate|go)\w* (?:away )?from|drop(?:ped|ping)?|scrap(?:ped|ping)?|ditch(?:ed|ing)?|forget(?: about)?|wrong about|instead of|rather than|no longer(?: us(?:e|ing))?|stop using|abandon(?:ed|ing)?|replac(?:e|ed|ing)|swap(?:ped|ping)?(?: out)?|rid of|ripp?(?:ed|ing)? out|remov(?:e|ed|ing)|mov(?:e|ed|ing) \w+ ?\w* out of|(?:do not|don['’]t) (?:want|use|need|like)|(?:cannot|can['’]t|can not) use|revert(?:ed|ing)?|undo|roll(?:ed|ing)? back|tak(?:e|en|ing) out|no(?= \S+ any ?more)|(?:took|take|taking)(?= \S+ out\b))|, not) ${NAME}`,
      'giu',
    ),
  ],
  [
    /放弃|弃用|不再|不用|不要|别[用放走选]|去掉|撤掉|而不是|替换|替掉|换掉|取代|代替/,
    new RegExp(
      String.raw`(?:放弃|弃用|不再使用|不再用|不再|不用|不要用?|别[用放走选]|去掉|撤掉|而不是|替换掉?|替掉|换掉|取代|代替)\s*${ASCII_NAME}`,
      'gu',
    ),
  ],
  [/从/, new RegExp(String.raw`从\s*${ASCII_NAME}${CLOSED}\s*(?:改|换|切|迁)`, 'gu')],
  [/把/, new RegExp(String.raw`把\s*${ASCII_NAME}${CLOSED}\s*(?:换|替|改[成为用]|撤|删|移除|去掉)`, 'gu')],
];
/** "X was a mistake": what stands before is. */
const SUBJECT: readonly Pattern[] = [
  [
    /mistake|overkill|no-go|dead end|wrong c|too /i,
    new RegExp(
      String.raw`${NAME}${CLOSED} (?:is|was|turned out|turns out)(?: to be)? (?:just |way |far )?(?:a mistake|overkill|a no-go|a dead end|the wrong c\w+|too \w+)`,
      'giu',
    ),
  ],
  [
    /不合适|不行|不可行|行不通|不好用|不要了|不用[了加]|停[掉用]|下线|算了|被否决|先不用|用不了|不能用|[换删去撤]掉|太/,
    new RegExp(
      String.raw`${ASCII_NAME}${CLOSED}\s*(?:还是|实在|真的|已经?)?(?:不合适|不行|不可行|行不通|不好用|不要了|不用[了加]|停[掉用]|下线|算了|被否决|先不用|用不了|不能用|[换删去撤]掉|太[重慢大贵])`,
      'gu',
    ),
  ],
];

/** Words after which nothing is named. */
const EMPTY = new Set(
  (
    'the a an it its that this these those there here any all both each what which who using use used need needed needs now ' +
    'by in on at of off to from for with without into onto via as up out over so and or but if than then when where while ' +
    'is are was were be been being has have had do does did can could will would should may might must not no only just ' +
    'more less my your our their his her you we they me him them us i go going getting get being having making'
  ).split(' '),
);

/** Before it, in the same part of the sentence: it is not given up. */
const DENIED =
  /(?:n['’]t|\bnot|\bnever|\bno need to|\bwithout|\brefuse to|不要|别|不能|不会|不许|没有?|无需|不必)\s*(?:\w+\s+){0,2}$/i;
/** Before it: it is only thought of. */
const THOUGHT_OF =
  /\b(?:if|unless|in case|when(?:ever)?|until|before|can|could|may|might|would|maybe|perhaps|consider\w*|think\w*|whether|planned|option)\b|如果|要是|万一|也许|可能|考虑|是否|将来|以后再/i;
/** Anywhere: it is not given up everywhere. */
const PARTLY =
  /\b(?:only (?:in|for|on|when)|just (?:in|for|on)|in (?:the |our )?(?:\w+ )?tests?|for (?:the )?tests?|tests? only|locally)\b|(?:测试|本地|页|模块|脚本|文档)(?:里|中|上)?(?:就|也|都)?(?:不|用)|仅|只在/i;
/** Behind it, words that leave it the thing itself; another word makes it a part of something: "Redis keys". */
const PLAIN_AFTER =
  /^["'”’」`*]{0,3}(?:$|\s*[^\sa-z]|\s+(?:and|or|but|with|to|by|as|so|if|then|because|since|given|due|after|here|now|again|please|entirely|completely|altogether|everywhere|first|today|too|is|was|were|are|which|that|and|we|I)\b)/;
const OF_IT = /^["'”’」`*]{0,3}\s*的/;

/** Names that a text gives up, in the order of the patterns. */
export function givenUp(text: string): GivenUp[] {
  const found: GivenUp[] = [];
  const isPartly = PARTLY.test(text);
  for (const { name, at, end } of named(text, OBJECT)) {
    const before = clauseBefore(text, at);
    const after = text.slice(end, end + 24);
    if (DENIED.test(before) || OF_IT.test(after)) continue;
    found.push({ name, isFirm: !isPartly && !THOUGHT_OF.test(before) && PLAIN_AFTER.test(after) });
  }
  for (const { name, at } of named(text, SUBJECT))
    found.push({ name, isFirm: !isPartly && isChoosing(text) && !THOUGHT_OF.test(clauseBefore(text, at)) });
  return found;
}

function* named(text: string, patterns: readonly Pattern[]): Generator<{ name: string; at: number; end: number }> {
  for (const [must, said] of patterns) {
    if (!must.test(text)) continue;
    for (const match of text.matchAll(said)) {
      const name = bare(match[1]!);
      if (EMPTY.has(name.toLowerCase())) continue;
      const from = match.index + match[0].lastIndexOf(match[1]!);
      yield { name, at: match.index, end: from + name.length };
    }
  }
}

function clauseBefore(text: string, at: number): string {
  return /[^,;:.!?，；：。！？—]*$/.exec(text.slice(Math.max(0, at - 80), at))![0];
}
