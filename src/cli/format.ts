/** Figures as people read them. */

const count = new Intl.NumberFormat('en-GB');

export const number = (value: number): string => count.format(value);

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

export function bytes(value: number): string {
  let size = value;
  for (const unit of ['B', 'KB', 'MB', 'GB']) {
    if (size < 1000) return unit === 'B' ? `${size} B` : `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
    size /= 1000;
  }
  return `${size.toFixed(1)} TB`;
}

/** Tokens: 940, 38.4k, 1.2M. */
export function tokens(value: number): string {
  if (value < 1000) return String(value);
  return value < 1e6 ? `${(value / 1000).toFixed(value < 1e5 ? 1 : 0)}k` : `${(value / 1e6).toFixed(1)}M`;
}

/** Seconds since the epoch as local `2026-11-29 14:05`. */
export function time(seconds: number | null): string {
  if (seconds === null) return '–';
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return '–';
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Home folder shortened to `~`. */
export function tilde(path: string, home: string | undefined): string {
  return home && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path;
}

/** The end of a path, at most so many characters. */
export function pathEnd(path: string, length: number): string {
  return path.length <= length ? path : `…${path.slice(1 - length)}`;
}
