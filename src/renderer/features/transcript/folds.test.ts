import { describe, expect, it } from 'vitest';
import type { ToolCard } from '../../../shared/transcript.ts';
import { callKey, isCallOpen, NO_FOLDS, toggle } from './folds.ts';

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
