const ISO = /^(\d{4}-\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:(Z)|([+-]\d{2}):?(\d{2}))?)?$/i;
const AGO = /^(\d{1,4})([hdw])$/i;
const SECONDS: Record<string, number> = { h: 3600, d: 86_400, w: 604_800 };

/**
 * A time as a person types it, in seconds since the epoch: an ISO date (its beginning) or date and time, both local where no
 * zone is named, or how long ago: 12h, 7d, 2w. Null when it is neither.
 * @param now seconds since the epoch
 */
export function momentOf(text: string, now: number): number | null {
  const [, many, unit] = AGO.exec(text) ?? [];
  if (many !== undefined) return now - Number(many) * (SECONDS[(unit as string).toLowerCase()] as number);
  const [, month, day, time = '00:00', utc, hours, minutes] = ISO.exec(text) ?? [];
  // a parser may take the 31st of February for a day in March
  if (month === undefined || Number(day) > daysIn(month)) return null;
  const zone = utc ?? (hours === undefined ? '' : `${hours}:${minutes}`);
  const ms = Date.parse(`${month}-${day}T${time}${zone.toUpperCase()}`);
  return Number.isFinite(ms) ? ms / 1000 : null;
}

function daysIn(month: string): number {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year as number, number as number, 0)).getUTCDate();
}
