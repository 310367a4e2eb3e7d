/** A native time: seconds since the epoch, and what is kept where the seconds do not give the written form back. */
export interface NativeTime {
  ts: number | null;
  native_ts?: string | number;
  /** it was written, but says no time */
  bad?: boolean;
}

const UNKNOWN: NativeTime = { ts: null };

let day = '';
let dayStart = 0;

/**
 * Reads a record's `timestamp`. Claude Code writes ISO with milliseconds and Z; that form is read digit by digit with
 * the day remembered, since every line has one. A missing time stays unknown.
 */
export function readTime(value: unknown): NativeTime {
  if (typeof value === 'string') {
    const ms = readIso(value);
    return Number.isNaN(ms) ? otherForm(value) : { ts: ms / 1000 };
  }
  if (typeof value === 'number') return numeric(value);
  return value === undefined ? UNKNOWN : { ts: null, bad: true };
}

/** Milliseconds of `YYYY-MM-DDTHH:MM:SS.mmmZ`, NaN for any other form. */
export function readIso(value: string): number {
  if (value.length !== 24 || value.charCodeAt(23) !== 90 || value.charCodeAt(10) !== 84) return Number.NaN;
  if (!value.startsWith(day) || day === '') {
    const date = value.slice(0, 10);
    const start = Date.parse(date);
    if (!(start >= 0) || new Date(start).toISOString().slice(0, 10) !== date) return Number.NaN;
    day = date;
    dayStart = start;
  }
  const hour = two(value, 11);
  const minute = two(value, 14);
  const second = two(value, 17);
  const last = value.charCodeAt(22) - 48;
  const milli = two(value, 20) * 10 + last;
  const fits = hour <= 23 && minute <= 59 && second <= 59 && milli <= 999 && last >= 0 && last <= 9;
  const marks = value.charCodeAt(13) === 58 && value.charCodeAt(16) === 58 && value.charCodeAt(19) === 46;
  return fits && marks ? dayStart + (hour * 3600 + minute * 60 + second) * 1000 + milli : Number.NaN;
}

/** Two digits as a number, a large number for anything else. */
function two(value: string, at: number): number {
  const tens = value.charCodeAt(at) - 48;
  const ones = value.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : 1e9;
}

function otherForm(value: string): NativeTime {
  const ms = Date.parse(value);
  return Number.isFinite(ms) ? { ts: ms / 1000, native_ts: value } : { ts: null, native_ts: value, bad: true };
}

function numeric(value: number): NativeTime {
  const ms = value > 1e11 ? value : value * 1000;
  return { ts: ms / 1000, native_ts: value };
}

/** The written form of a time, the inverse of `readTime`. */
export function writeTime(ts: number | null, nativeTs: string | number | undefined): string | number | undefined {
  if (nativeTs !== undefined) return nativeTs;
  return ts === null ? undefined : new Date(Math.round(ts * 1000)).toISOString();
}
