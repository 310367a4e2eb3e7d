import { describe, expect, it } from 'vitest';
import { momentOf } from './moment.ts';

const NOW = 1_764_500_000;
const local = (...parts: [number, number, number, number?, number?]): number => new Date(...parts).getTime() / 1000;

describe('a time that somebody typed', () => {
  it.each([
    ['2026-11-29', local(2026, 10, 29)],
    ['2026-11-29T14:30', local(2026, 10, 29, 14, 30)],
    ['2026-11-29 14:30', local(2026, 10, 29, 14, 30)],
    ['2026-11-29T14:30:00Z', Date.UTC(2026, 10, 29, 14, 30) / 1000],
    ['2026-11-29t14:30z', Date.UTC(2026, 10, 29, 14, 30) / 1000],
    ['2026-11-29T14:30+02:00', Date.UTC(2026, 10, 29, 12, 30) / 1000],
    ['2026-11-29T14:30:00.500-0730', Date.UTC(2026, 10, 29, 22, 0) / 1000 + 0.5],
    ['2024-02-29', local(2024, 1, 29)],
    ['12h', NOW - 12 * 3600],
    ['7D', NOW - 7 * 86_400],
    ['2w', NOW - 14 * 86_400],
  ])('%s is a moment', (text, seconds) => {
    expect(momentOf(text, NOW)).toBe(seconds);
  });

  it.each([
    '',
    'soon',
    '2026',
    '2026-11',
    '2026-13-01',
    '2026-02-30',
    '2025-02-29',
    '2026-11-29T25:00',
    '2026-11-29x',
    '7m',
    '-7d',
  ])('"%s" is none', (text) => {
    expect(momentOf(text, NOW)).toBeNull();
  });
});
