import type { Json } from './claude-session.ts';
import { type Random, randomOf } from './random.ts';

/**
 * Words for a search: generated prose has a hundred, which are in every event, as no real history has. Here are 60,000, used as
 * often as words are (the n-th one about 1/n as often as the first), and names, error codes and Chinese between them.
 */

const SYLLABLES =
  'ba be bi bo da de di do fa fe fi ga ge go ka ke ki la le li lo ma me mi mo na ne ni no pa pe po ra re ri ro sa se si so ta te ti to va ve vi za zo'.split(
    ' ',
  );
const CHINESE =
  '修复登录错误超时配置文件连接数据库测试失败请求返回结果用户会话缓存更新删除函数参数异常日志部署版本分支合并冲突依赖安装编译运行';
const VOCABULARY = 60_000;

let made: string[] | null = null;

/** From the most to the least used. */
export function vocabulary(): string[] {
  if (made !== null) return made;
  const random = randomOf(11);
  const words = new Set<string>();
  while (words.size < VOCABULARY)
    words.add(Array.from({ length: random.int(2, 5) }, () => random.pick(SYLLABLES)).join(''));
  made = [...words];
  return made;
}

/** A word by its use. */
export function anyWord(random: Random): string {
  const words = vocabulary();
  return words[Math.floor(Math.exp(random.next() * Math.log(words.length)))] as string;
}

const NAMES = 20_000;
let names: string[] | null = null;

/** A name of the code, by its use. */
function anyName(random: Random): string {
  names ??= Array.from({ length: NAMES }, () => name(nameRandom));
  return names[Math.floor(Math.exp(random.next() * Math.log(names.length)))] as string;
}

const nameRandom = randomOf(12);

function name(random: Random): string {
  const parts = Array.from({ length: random.int(2, 3) }, () => anyWord(random));
  if (random.next() < 0.5) return parts.join('_');
  return parts.map((part, i) => (i === 0 ? part : `${part[0]?.toUpperCase()}${part.slice(1)}`)).join('');
}

function chinese(random: Random): string {
  const from = random.int(0, CHINESE.length - 8);
  return CHINESE.slice(from, from + random.int(2, 8));
}

function other(random: Random): string {
  const which = random.next();
  if (which < 0.1) return anyName(random);
  if (which < 0.12) return chinese(random);
  if (which < 0.13) return `E${random.int(1000, 9999)}`;
  return anyWord(random);
}

/** Puts such words in the place of most words of a record's texts. */
export function richWords(record: Json, random: Random): void {
  const change = (value: unknown): unknown => {
    if (typeof value === 'string')
      return value.replace(/[a-z]{3,}/g, (word) => (random.next() < 0.8 ? other(random) : word));
    if (Array.isArray(value)) return value.map(change);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]));
  };
  const message = record.message as { content?: unknown } | undefined;
  if (typeof message?.content === 'string') message.content = change(message.content);
  else if (Array.isArray(message?.content))
    for (const block of message.content as Json[])
      for (const field of ['text', 'thinking', 'content', 'input'])
        if (field in block) block[field] = change(block[field]);
}
