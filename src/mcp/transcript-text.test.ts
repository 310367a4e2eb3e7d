import { describe, expect, it } from 'vitest';
import type { ToolCard, TranscriptRow } from '../shared/transcript.ts';
import { PART_BYTES } from './bounds.ts';
import { cleaner } from './outgoing.ts';
import { rowTexts } from './transcript-text.ts';

const base = { ordinal: 0, ts: null, active: true, in_model: true };
const text = (said: string) => [{ kind: 'text' as const, text: said }];

function cardOf(seq: number, command: string, output: string): ToolCard {
  const result = { seq: seq + 1, is_error: false, closed: 'ran' as const, content: text(output) };
  return {
    seq,
    call_id: `c${seq}`,
    name: 'Bash',
    tool: 'shell',
    header: command.slice(0, 400),
    arguments: { command },
    result,
  };
}

const toolsOf = (calls: ToolCard[]): TranscriptRow => ({
  ...base,
  kind: 'tools',
  seq: calls[0]!.seq,
  calls,
  errors: 0,
});

describe('a row as text', () => {
  it('has a text for each call, none larger than a part, whatever is in it', () => {
    const outputs = [
      '\u001b['.repeat(40_000),
      '请'.repeat(64_000),
      '\u{1f333}'.repeat(32_000),
      `${'word '.repeat(9_000)}`,
    ];
    const calls = Array.from({ length: 40 }, (_, at) =>
      cardOf(2 * at, `run ${at} ${'请'.repeat(500)}`, outputs[at % 4]!),
    );
    const texts = rowTexts(toolsOf(calls), cleaner());
    expect(texts).toHaveLength(40);
    for (const [at, one] of texts.entries()) {
      expect(one).toMatch(new RegExp(`^\\[e${2 * at}\\] tool Bash: run ${at} `));
      expect(Buffer.byteLength(one)).toBeLessThan(PART_BYTES * 0.9);
    }
    const prompt: TranscriptRow = {
      ...base,
      kind: 'prompt',
      seq: 3,
      turn: 1,
      via: 'prompt',
      content: text(outputs[1]!),
    };
    const rule = { ...base, kind: 'rule', seq: 4, rule: 'compaction', text: outputs[1]! } as TranscriptRow;
    for (const row of [prompt, rule])
      expect(Buffer.byteLength(rowTexts(row, cleaner()).join(''))).toBeLessThan(PART_BYTES);
  });

  it('shows no part of a secret where a command or an output is cut', () => {
    const token = ['gh', 'p_', 'q7Rk2mXw9TzB4nVc8LdF6hJs3GyA1eUo5PiZ'].join('');
    for (const before of [340, 360, 380]) {
      const command = `${'x '.repeat(before / 2)}${token} --now ${'y '.repeat(90)}`;
      const [shown] = rowTexts(toolsOf([cardOf(0, command, `${'z '.repeat(1_990)}${token}`)]), cleaner());
      expect(shown).not.toContain(token.slice(4, 8));
    }
  });
});
