import { describe, expect, it } from 'vitest';
import { grew, left, newRows, reached, startFollow } from './follow.ts';

describe('follow mode', () => {
  it('goes with new rows at the end, without a line or a count', () => {
    const state = grew(startFollow(10, true), 15, 100);
    expect(state).toEqual({ following: true, seen: 15, line: null });
    expect(newRows(state, 15)).toBe(0);
  });

  it('counts and marks what came while the reader was elsewhere, and moves nothing', () => {
    let state = left(startFollow(10, true), 10);
    state = grew(state, 12, 100);
    state = grew(state, 15, 200);
    expect(newRows(state, 15)).toBe(5);
    expect(state.line).toEqual({ ordinal: 10, since: 100 });
    expect(state.following).toBe(false);
  });

  it('keeps the line when the reader comes to the end, and drops it when they leave again', () => {
    let state = reached(grew(left(startFollow(10, true), 10), 12, 100), 12);
    expect(newRows(state, 12)).toBe(0);
    expect(state.line).toEqual({ ordinal: 10, since: 100 });
    state = left(state, 12);
    expect(state.line).toBeNull();
  });

  it('does not count rows that were there before', () => {
    const state = left(startFollow(10, true), 10);
    expect(grew(state, 10, 1)).toBe(state);
    expect(newRows(state, 10)).toBe(0);
  });
});
