import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { type Follow, grew, left, reached, startFollow } from './follow.ts';

/** Nearer to the end than this many pixels is at the end. */
const NEAR = 32;

interface Following {
  follow: Follow;
  /** goes to the end and follows */
  toEnd(): void;
  onScroll(): void;
  /** the reader touched wheel, keys, pointer: only then does scrolling up mean going away from the end */
  onIntent(): void;
  leave(): void;
}

/** Follow mode of a virtual list of `count` rows on screen, `total` rows in the session. */
export function useFollow(
  handle: RefObject<VirtualizerHandle | null>,
  total: number,
  count: number,
  atEnd: boolean,
): Following {
  const [state, setState] = useState(() => startFollow(total, atEnd));
  const moved = useRef(false);
  const last = useRef(0);

  const scrollToEnd = useCallback(() => handle.current?.scrollToIndex(count - 1, { align: 'end' }), [handle, count]);
  const toEnd = useCallback(() => {
    setState((old) => reached(old, total));
    scrollToEnd();
  }, [scrollToEnd, total]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only more rows move the view
  useLayoutEffect(() => {
    setState((old) => grew(old, total, Date.now() / 1000));
    if (state.following) scrollToEnd();
  }, [total]);

  const onScroll = () => {
    const view = handle.current;
    if (!view) return;
    const up = view.scrollOffset < last.current - 1;
    last.current = view.scrollOffset;
    const isAtEnd = view.scrollOffset + view.viewportSize >= view.scrollSize - NEAR;
    if (isAtEnd) {
      moved.current = false;
      setState((old) => reached(old, total));
    } else if (up && moved.current) {
      setState((old) => left(old, total));
    }
  };

  return {
    follow: state,
    toEnd,
    onScroll,
    onIntent: () => {
      moved.current = true;
    },
    leave: () => setState((old) => left(old, total)),
  };
}
