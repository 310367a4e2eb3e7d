import type { Json } from './claude-session.ts';
import type { Random } from './random.ts';

/**
 * What generated prose lacks: many different words, long outputs, terminal colours, and a secret in every tenth line.
 * The secrets are put together here, so that none stands in this file.
 */

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

function letters(random: Random, n: number, from = LETTERS): string {
  let out = '';
  for (let i = 0; i < n; i++) out += from[Math.floor(random.next() * from.length)];
  return out;
}

const SECRETS: readonly ((random: Random) => string)[] = [
  (random) => ['gh', 'p_', letters(random, 36)].join(''),
  (random) => ['AK', 'IA', letters(random, 16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')].join(''),
  (random) => `export API_TOKEN=${letters(random, 32)}`,
  (random) => `Authorization: Bearer ${letters(random, 40)}`,
  (random) => `postgres://app:${letters(random, 14)}@db.internal/x`,
];

/** Changes the texts of each record; `share` of them get a secret. */
export function hardTexts(share: number): (record: Json, random: Random) => void {
  let vocabulary: string[] | null = null;
  return (record, random) => {
    vocabulary ??= Array.from({ length: 60_000 }, () => letters(random, random.int(3, 11)));
    const words = vocabulary;
    const change = (text: string): string => {
      const rich = text.replace(/[a-z]{4,}/g, (word) =>
        random.next() < 0.25 ? (words[Math.floor(random.next() ** 3 * words.length)] as string) : word,
      );
      const secret = random.next() < share ? ` ${random.pick(SECRETS)(random)} ` : '';
      return random.next() < 0.03 ? `\u001b[31m${rich}${secret}\u001b[0m` : rich + secret;
    };
    const message = record.message as { content?: unknown } | undefined;
    if (typeof message?.content === 'string') message.content = change(message.content);
    else if (Array.isArray(message?.content))
      for (const block of message.content as Json[]) changeBlock(block, record, change, random);
  };
}

function changeBlock(block: Json, record: Json, change: (text: string) => string, random: Random): void {
  if (typeof block.text === 'string') block.text = change(block.text);
  if (typeof block.thinking === 'string') block.thinking = change(block.thinking);
  if (typeof block.content !== 'string') return;
  block.content = change(block.content);
  if (random.next() > 0.03) return;
  let long = '';
  for (const end = random.int(20_000, 60_000); long.length < end; ) long += `${change(block.content as string)}\n`;
  block.content = long;
  const result = record.toolUseResult;
  if (typeof result === 'object' && result !== null) (result as Json).stdout = long;
}
