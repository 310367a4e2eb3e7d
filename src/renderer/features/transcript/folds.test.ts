import { describe, expect, it } from 'vitest';
import type { ToolCard, TranscriptRow } from '../../../shared/transcript.ts';
import { callKey, closedAround, isCallOpen, NO_FOLDS, toggle } from './folds.ts';

const call = (more: Partial<ToolCard>): ToolCard => ({
  seq: 7,
  call_id: 'c',
  name: 'Bash',
  tool: 'shell',
  header: 'ls',
  arguments: {},
  result: { seq: 8, is_error: false, closed: 'ran', content: [] },
  ...more,
});
const bad = call({ result: { seq: 8, is_error: true, closed: 'ran', content: [] } });

describe('folds', () => {
  it('opens failed calls and small diffs by themselves, nothing else', () => {
    expect(isCallOpen(NO_FOLDS, callKey(7), call({}))).toBe(false);
    expect(isCallOpen(NO_FOLDS, callKey(7), bad)).toBe(true);
    expect(isCallOpen(NO_FOLDS, callKey(7), call({ diff: '+a', added: 5, removed: 2 }))).toBe(true);
    expect(isCallOpen(NO_FOLDS, callKey(7), call({ diff: '+a', added: 500, removed: 2 }))).toBe(false);
  });

  it('turns each one over, whatever it is by itself', () => {
    const folds = toggle(NO_FOLDS, [callKey(7)]);
    expect(isCallOpen(folds, callKey(7), call({}))).toBe(true);
    expect(isCallOpen(folds, callKey(7), bad)).toBe(false);
    expect(isCallOpen(toggle(folds, [callKey(7)]), callKey(7), bad)).toBe(true);
  });
});

describe('what is closed around an event', () => {
  const quiet = (seq: number, tool: 'shell' | 'read') =>
    call({ seq, tool, result: { seq: seq + 1, is_error: false, closed: 'ran', content: [] } });
  const tools = {
    kind: 'tools',
    seq: 1,
    calls: [quiet(1, 'shell'), quiet(3, 'read'), quiet(5, 'read')],
  } as unknown as TranscriptRow;

  it('is the call or the group that holds it, and nothing once that is open', () => {
    expect(closedAround(NO_FOLDS, tools, 2)).toEqual([callKey(1)]);
    expect(closedAround(NO_FOLDS, tools, 6)).toEqual([callKey(3)]);
    expect(closedAround(toggle(NO_FOLDS, [callKey(3)]), tools, 6)).toEqual([]);
    expect(closedAround({ ...NO_FOLDS, allTools: true }, tools, 2)).toEqual([]);
  });

  it('is the row itself where it is folded as a whole', () => {
    const row = { kind: 'thinking', seq: 4 } as unknown as TranscriptRow;
    expect(closedAround(NO_FOLDS, row, 4)).toEqual(['row 4']);
    expect(closedAround({ ...NO_FOLDS, thinking: true }, row, 4)).toEqual([]);
  });
});
