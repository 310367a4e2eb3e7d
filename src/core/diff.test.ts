import { describe, expect, it } from 'vitest';
import { wholeFileDiff } from './diff.ts';

describe('the diff of a whole file', () => {
  it('marks each line, and says when the last one has no end', () => {
    expect(wholeFileDiff('a\n\nb\n', '+')).toBe('@@ -0,0 +1,3 @@\n+a\n+\n+b\n');
    expect(wholeFileDiff('a\nb', '-')).toBe('@@ -1,2 +0,0 @@\n-a\n-b\n\\ No newline at end of file\n');
    expect(wholeFileDiff('', '+')).toBe('');
  });
});
