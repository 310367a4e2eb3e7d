import { describe, expect, it } from 'vitest';
import { Matcher } from '../core/search/match.ts';
import { parseQuery } from '../core/search/query.ts';
import { ok } from '../shared/errors.ts';
import { hitText } from './hit-text.ts';
import { cleaner } from './outgoing.ts';
import type { Call } from './tool.ts';

/** A call whose store holds one event, as an older version would have kept it. */
function callOf(text: string): Call {
  const event = {
    seq: 0,
    type: 'message.user',
    payload: { content: [{ kind: 'text', text }] },
    refs: [],
    origin: null,
  };
  const engine = { call: async () => ok(event) };
  return { connection: { engine }, clean: cleaner(), signal: new AbortController().signal } as unknown as Call;
}

const shown = (text: string, query: string) => hitText(callOf(text), 's', 0, new Matcher(parseQuery(query, 0)));

/** Lines of a key, made here. */
function keyLines(): string[] {
  let seed = 7;
  const letter = (): string => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'[Math.floor(seed / 2 ** 16) % 62] as string;
  };
  return Array.from({ length: 24 }, () => Array.from({ length: 64 }, letter).join(''));
}

describe('what is shown of a hit', () => {
  it('is the piece around the match', async () => {
    const text = `${'before '.repeat(60)}the needle is here${' after'.repeat(60)}`;
    expect(await shown(text, 'needle')).toMatch(/^….*the needle is here.*…$/);
  });

  it('is no line of a private key, though a word in the middle of one was searched', async () => {
    const lines = keyLines();
    const word = 'gooseberry';
    lines[12] = `${lines[12]!.slice(0, 20)}+${word}+${lines[12]!.slice(20, 50)}`;
    const [begin, end] = ['BEGIN', 'END'].map((side) => `-----${side} RSA ${'PRIVATE'} KEY-----`);
    const text = await shown(`Deploy with this:\n${[begin, ...lines, end].join('\n')}\nand go.`, word);
    for (const line of lines) expect(text).not.toContain(line.slice(0, 16));
    expect(text).toContain('[REDACTED:private-key:');
  });

  it('holds no part of a token that the piece would cut', async () => {
    const token = ['gh', 'p_', 'q7Rk2mXw9TzB4nVc8LdF6hJs3GyA1eUo5PiZ'].join('');
    for (let gap = 150; gap < 260; gap += 10) {
      const text = await shown(`needle ${'x '.repeat(gap / 2)}${token} ${'y '.repeat(200)}`, 'needle');
      expect(text).toContain('needle');
      expect(text).not.toContain(token.slice(4, 10));
    }
  });
});
