/**
 * Follow mode. At the end the view goes with new rows; anywhere else nothing moves, the new rows are counted, and a line
 * marks where they begin.
 */
export interface Follow {
  /** the view goes with new rows */
  following: boolean;
  /** rows there were when the reader was at the end last */
  seen: number;
  /** where the line "new since" stands, and since when (seconds); null when there is none */
  line: { ordinal: number; since: number } | null;
}

export const startFollow = (total: number, atEnd: boolean): Follow => ({ following: atEnd, seen: total, line: null });

/** More rows came. */
export function grew(state: Follow, total: number, now: number): Follow {
  if (total <= state.seen) return state;
  if (state.following) return { ...state, seen: total };
  return { ...state, line: state.line ?? { ordinal: state.seen, since: now } };
}

/** The reader went away from the end. */
export const left = (state: Follow, total: number): Follow =>
  state.following ? { following: false, seen: total, line: null } : state;

/** The reader came to the end: everything is seen; the line stays where it is until the next time. */
export const reached = (state: Follow, total: number): Follow =>
  state.following && state.seen === total ? state : { ...state, following: true, seen: total };

export const newRows = (state: Follow, total: number): number =>
  state.following ? 0 : Math.max(0, total - state.seen);
