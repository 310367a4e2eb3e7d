import { InvalidArgumentError } from 'commander';
import { momentOf } from '../../core/moment.ts';

/** What option values may be: each takes the typed text, and refuses what it is not. */

export function whole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a whole number.');
}

export function positive(text: string): number {
  const value = whole(text);
  if (value > 0) return value;
  throw new InvalidArgumentError('Give a number above 0.');
}

/** Seconds since the epoch of a date or time, or of how long ago it was. */
export function date(text: string): number {
  const moment = momentOf(text, Date.now() / 1000);
  if (moment !== null) return moment;
  throw new InvalidArgumentError('Give a date such as 2026-11-29 or 2026-11-29T14:00, or how long ago: 7d.');
}

/** An option that may be repeated, each time with one of the choices. */
export function gathered<T extends string>(choices: readonly T[]): (text: string, before?: T[]) => T[] {
  return (text, before = []) => {
    const choice = choices.find((known) => known === text);
    if (choice === undefined) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    return [...before, choice];
  };
}

/** A factor between tokenizers, e.g. 1.2. */
export function factor(text: string): number {
  const value = /^\d{1,2}(?:\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN;
  if (value > 0 && value <= 10) return value;
  throw new InvalidArgumentError('Give a number above 0 and at most 10, e.g. 1.2.');
}
