/** Numbers, sizes and times as the design writes them. All go through Intl, in the language of the catalogue. */

const LOCALE = 'en-GB';
const integers = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });
const oneDecimal = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit', hour12: false });
const weekday = new Intl.DateTimeFormat(LOCALE, { weekday: 'short' });
const dayMonth = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' });
const dayMonthYear = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', year: 'numeric' });
const longDay = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'long' });

/** 1,776 */
export const formatCount = (n: number): string => integers.format(n);

/** "1 session", "1,776 sessions" */
export const many = (n: number, one: string, more: string): string => `${formatCount(n)} ${n === 1 ? one : more}`;

/** Tokens: 97, 2.1k, 382k, 4.2M. One decimal from 1,000 to 99,999 and from a million on. */
export function formatTokens(n: number): string {
  if (n < 1000) return integers.format(n);
  if (n < 99_950) return `${oneDecimal.format(n / 1000)}k`;
  if (n < 999_500) return `${integers.format(n / 1000)}k`;
  return `${oneDecimal.format(n / 1_000_000)}M`;
}

/** Bytes in decimal units: 840 B, 4 KB, 4.1 MB, 1.2 GB. */
export function formatBytes(n: number): string {
  if (n < 1000) return `${integers.format(n)} B`;
  if (n < 999_500) return `${integers.format(n / 1000)} KB`;
  if (n < 999_950_000) return `${compact(n / 1_000_000)} MB`;
  return `${compact(n / 1_000_000_000)} GB`;
}

const compact = (n: number): string => (n < 100 ? oneDecimal.format(n) : integers.format(n));

/** 180 ms, 12.4 s, 4 min, 2 h */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${integers.format(ms)} ms`;
  if (ms < 60_000) return `${oneDecimal.format(ms / 1000)} s`;
  if (ms < 3_600_000) return `${integers.format(ms / 60_000)} min`;
  return `${integers.format(ms / 3_600_000)} h`;
}

/** `part` of `whole` in whole per cent, never 100 or 0 unless it is all or nothing. */
export function formatPercent(part: number, whole: number): string {
  if (whole <= 0) return '0 %';
  const rounded = Math.round((part / whole) * 100);
  const honest = part < whole && rounded === 100 ? 99 : part > 0 && rounded === 0 ? 1 : rounded;
  return `${honest} %`;
}

const dayOf = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
const DAY = 86_400_000;

/** Whole calendar days from `ts` (seconds) to `now`; 0 is today, negative is the future. */
export function daysAgo(ts: number, now: Date = new Date()): number {
  return Math.round((dayOf(now) - dayOf(new Date(ts * 1000))) / DAY);
}

/** 14:06 today, Sat this week, 29 Nov this year, 29 Nov 2024 before. `ts` in seconds. */
export function formatWhen(ts: number, now: Date = new Date()): string {
  const date = new Date(ts * 1000);
  const days = daysAgo(ts, now);
  if (days <= 0) return clock.format(date);
  if (days < 7) return weekday.format(date);
  return (date.getFullYear() === now.getFullYear() ? dayMonth : dayMonthYear).format(date);
}

/** 29 Nov, 10:12 */
export function formatMoment(ts: number, now: Date = new Date()): string {
  const date = new Date(ts * 1000);
  const day = date.getFullYear() === now.getFullYear() ? dayMonth : dayMonthYear;
  return `${day.format(date)}, ${clock.format(date)}`;
}

export const formatClock = (ts: number): string => clock.format(new Date(ts * 1000));

/** 29 November at 13:55 */
export const formatSpoken = (date: Date): string => `${longDay.format(date)} at ${clock.format(date)}`;

/** First and last four digits of a hash: 91b0…c4d7. An algorithm prefix is left out. */
export function shortHash(hash: string): string {
  const hex = hash.replace(/^[a-z0-9]+:/, '');
  return hex.length <= 10 ? hex : `${hex.slice(0, 4)}…${hex.slice(-4)}`;
}

/** A path under the home folder as ~/…; others unchanged. */
export function tildePath(path: string, home: string | undefined): string {
  if (!home) return path;
  if (path === home) return '~';
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
