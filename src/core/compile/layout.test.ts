import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../hash.ts';
import { LogBuilder } from '../view/testing.ts';
import { laidOut } from './layout.ts';
import { page, tokenizer } from './testing.ts';

describe('a page for an agent that cuts long lines', () => {
  it('has no line that is cut, and loses no letter', () => {
    const text = `${'word '.repeat(900)}end\n${'圧'.repeat(2_500)}😀${'x'.repeat(3_000)}\nshort\n`;
    for (const agent of ['gemini', 'opencode']) {
      const laid = laidOut(agent, text);
      expect(Math.max(...laid.split('\n').map(({ length }) => length))).toBeLessThan(2_000);
      expect(laid.replaceAll('\n', '')).toBe(text.replaceAll('\n', ''));
      expect(laid.isWellFormed()).toBe(true);
    }
    for (const agent of ['claude', 'codex', 'pi', 'hermes']) expect(laidOut(agent, text)).toBe(text);
  });

  it('is hashed and counted as that agent gets it', () => {
    const log = new LogBuilder();
    log.user(`Go through this list: ${'many words of it '.repeat(300)}`);
    const { text, sha256, tokens } = page(log, { target: 'gemini' });
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThan(2_000);
    expect(sha256).toBe(sha256Hex(text));
    expect(tokens).toBe(tokenizer.count(text));
  });
});
