import { type RefObject, useCallback, useLayoutEffect, useReducer, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';

interface Place {
  index: number;
  /** grows with each move, so that going to the same place again still moves the focus there */
  moves: number;
  align: 'nearest' | 'start' | 'center';
}

interface Roving {
  active: number;
  /** false for a row that only happens to stand where the chosen one stood */
  isChosen(id: string): boolean;
  /** moves focus to a row; `start` puts it at the top of the view */
  go(index: number, align?: Place['align']): void;
  /** the row that Tab enters, without moving the focus */
  mark(index: number): void;
}

/** The rows of a list as far as they are held: what a row is called, and where it is now. */
interface Rows {
  get(index: number): { id: string } | undefined;
  find(fits: (row: { id: string }) => boolean): number | null;
}

/**
 * One tab stop in a virtual list: the active row is always mounted (give `[active]` to keepMounted), carries
 * `data-index` and tabindex 0, and gets the focus when it is moved to by key or command. Rows that come or go
 * before it do not move the stop to another row: keys must never mean what happens to stand there now.
 */
export function useRoving(
  list: RefObject<HTMLElement | null>,
  handle: RefObject<VirtualizerHandle | null>,
  total: number,
  /** where rows can come or go above others; a list that only grows at its end needs none */
  rows?: Rows,
): Roving {
  const [place, move] = useReducer(
    (old: Place, next: { index: number; focus: boolean; align?: Place['align'] }): Place => ({
      index: Math.min(Math.max(0, next.index), Math.max(0, total - 1)),
      moves: old.moves + (next.focus ? 1 : 0),
      align: next.align ?? 'nearest',
    }),
    { index: 0, moves: 0, align: 'nearest' },
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a move takes the focus, not a row that grew
  useLayoutEffect(() => {
    if (place.moves === 0) return;
    handle.current?.scrollToIndex(place.index, { align: place.align });
    return focusWhenShown(() => list.current?.querySelector<HTMLElement>(`[data-index="${place.index}"]`));
  }, [place.moves]);
  const active = Math.min(place.index, Math.max(0, total - 1));
  // null until somebody chose a row: till then the stop is the first row, whichever that is
  const chosen = useRef<{ id: string | undefined } | null>(null);
  useLayoutEffect(() => {
    const here = rows?.get(active)?.id;
    if (!rows || chosen.current === null || here === undefined || here === chosen.current.id) return;
    const { id } = chosen.current;
    if (id === undefined) chosen.current = { id: here };
    else {
      // not among the rows that are held: it can have gone over to a page that is not loaded, and is looked for again then
      const now = rows.find((row) => row.id === id);
      if (now !== null) move({ index: now, focus: false });
    }
  });
  const choose = useCallback((index: number, focus: boolean, align?: Place['align']) => {
    chosen.current = { id: undefined };
    move({ index, focus, ...(align ? { align } : {}) });
  }, []);
  return {
    active,
    isChosen: useCallback((id) => chosen.current?.id === undefined || chosen.current.id === id, []),
    go: useCallback((index, align) => choose(index, true, align), [choose]),
    mark: useCallback((index) => choose(index, false), [choose]),
  };
}

/** Frames a new row may take until it is measured; before that it is hidden and cannot take the focus. */
const FRAMES = 20;

function focusWhenShown(find: () => HTMLElement | null | undefined): () => void {
  let frame = 0;
  const attempt = (left: number) => {
    const element = find();
    element?.focus({ preventScroll: true });
    if (left > 0 && (!element || document.activeElement !== element))
      frame = requestAnimationFrame(() => attempt(left - 1));
  };
  attempt(FRAMES);
  return () => cancelAnimationFrame(frame);
}

/** First and last row on screen. */
export function visibleRange(handle: VirtualizerHandle): [number, number] {
  return [handle.findItemIndex(handle.scrollOffset), handle.findItemIndex(handle.scrollOffset + handle.viewportSize)];
}
