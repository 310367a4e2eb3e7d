/**
 * Which session comes first. The index knows which events match and no more, so a session is weighed by what that tells: how
 * new it is, whether the words stand where somebody says what it is about (a prompt, a title, a summary, a note), and how
 * often they stand in it. New weighs most, half of it is gone in a month; a session that is about the words beats one of
 * the same week that mentions them.
 */
export interface Weighed {
  /** seconds since the epoch; null = unknown, which counts as old */
  at: number | null;
  /** events that match */
  hits: number;
  /** of them those where somebody says what the session is about */
  telling: number;
}

const HALF_LIFE = 30 * 86_400;
const NEW = 2;
const TELLING = 1;
const MANY = 1;
/** So many hits are as good as more. */
const ENOUGH = 64;

/** @param now seconds since the epoch */
export function scoreOf({ at, hits, telling }: Weighed, now: number): number {
  const age = at === null ? Number.POSITIVE_INFINITY : Math.max(0, now - at);
  return (
    NEW * 2 ** (-age / HALF_LIFE) +
    (telling > 0 ? TELLING : 0) +
    MANY * Math.min(1, Math.log2(1 + hits) / Math.log2(1 + ENOUGH))
  );
}
