import { type RefObject, useCallback, useLayoutEffect, useReducer } from 'react';
import type { VirtualizerHandle } from 'virtua';

interface Place {
  index: number;
  /** grows with each move, so that going to the same place again still moves the focus there */
  moves: number;
  align: 'nearest' | 'start' | 'center';
}

interface Roving {
  active: number;
  /** moves focus to a row; `start` puts it at the top of the view */
  go(index: number, align?: Place['align']): void;
  /** the row that Tab enters, without moving the focus */
  mark(index: number): void;
}

/**
 * One tab stop in a virtual list: the active row is always mounted (give `[active]` to keepMounted), carries
 * `data-index` and tabindex 0, and gets the focus when it is moved to by key or command.
 */
export function useRoving(
  list: RefObject<HTMLElement | null>,
  handle: RefObject<VirtualizerHandle | null>,
  total: number,
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
  return {
    active: Math.min(place.index, Math.max(0, total - 1)),
    go: useCallback((index, align) => move({ index, focus: true, ...(align ? { align } : {}) }), []),
    mark: useCallback((index) => move({ index, focus: false }), []),
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
