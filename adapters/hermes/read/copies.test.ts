import { describe, expect, it } from 'vitest';
import { copiedRows } from './copies.ts';

const row = (id: number, content: string, timestamp = id) => ({ id, role: 'user', content, timestamp });

describe('rows that a session copied', () => {
  it('stand at its beginning in the order of the originals, of which some may be left out', () => {
    const originals = [row(1, 'a'), row(2, 'b'), row(3, 'c'), row(4, 'a')];
    expect(copiedRows([row(11, 'a'), row(12, 'c'), row(13, 'a'), row(14, 'b')], originals, 10)).toEqual(
      new Set([11, 12, 13]),
    );
  });

  it('are none that the other one said only later', () => {
    expect(copiedRows([row(11, 'a'), row(12, 'b')], [row(1, 'a'), row(20, 'b')], 10)).toEqual(new Set([11]));
  });

  it('are found in one pass, however many there are', () => {
    let compared = 0;
    const originals = Array.from({ length: 2000 }, (_, i) => ({
      ...row(i, ''),
      get content() {
        compared++;
        return `said ${i}`;
      },
    }));
    const rows = Array.from({ length: 2000 }, (_, i) => row(5000 + i, `said ${i}`));
    expect(copiedRows(rows, originals, 9000).size).toBe(2000);
    expect(compared).toBe(2000);
  });
});
