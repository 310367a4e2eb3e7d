import { describe, expect, it } from 'vitest';
import { formatBytes, formatPercent, formatTokens, formatWhen, shortHash, tildePath } from './format.ts';

const now = new Date(2026, 10, 29, 14, 10);
const at = (...parts: [number, number, number, number, number]) => new Date(...parts).getTime() / 1000;

describe('formatTokens', () => {
  it('keeps small numbers whole and shortens large ones', () => {
    expect([97, 2100, 44_160, 382_000, 999_400, 999_600, 4_200_000].map(formatTokens)).toEqual([
      '97',
      '2.1k',
      '44.2k',
      '382k',
      '999k',
      '1.0M',
      '4.2M',
    ]);
  });
});

describe('formatBytes', () => {
  it('uses the unit that keeps the number readable', () => {
    expect([0, 840, 4096, 4_100_000, 310_000_000, 1_200_000_000].map(formatBytes)).toEqual([
      '0 B',
      '840 B',
      '4 KB',
      '4.1 MB',
      '310 MB',
      '1.2 GB',
    ]);
  });
});

describe('formatPercent', () => {
  it('never rounds a part up to all or down to nothing', () => {
    expect(formatPercent(999, 1000)).toBe('99 %');
    expect(formatPercent(1, 1000)).toBe('1 %');
    expect(formatPercent(1000, 1000)).toBe('100 %');
    expect(formatPercent(0, 1000)).toBe('0 %');
    expect(formatPercent(0, 0)).toBe('0 %');
  });
});

describe('formatWhen', () => {
  it('says less the longer ago it was', () => {
    expect(formatWhen(at(2026, 10, 29, 13, 58), now)).toBe('13:58');
    expect(formatWhen(at(2026, 10, 28, 23, 58), now)).toBe('Sat');
    expect(formatWhen(at(2026, 9, 3, 9, 0), now)).toBe('3 Oct');
    expect(formatWhen(at(2024, 9, 3, 9, 0), now)).toBe('3 Oct 2024');
  });
});

describe('shortHash and tildePath', () => {
  it('keep the telling ends', () => {
    expect(shortHash(`sha256:${'91b0'.padEnd(60, '0')}c4d7`)).toBe('91b0…c4d7');
    expect(tildePath('/home/dev/src/api', '/home/dev')).toBe('~/src/api');
    expect(tildePath('/home/developer/x', '/home/dev')).toBe('/home/developer/x');
    expect(tildePath('/srv/x', undefined)).toBe('/srv/x');
  });
});
