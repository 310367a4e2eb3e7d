import { useSyncExternalStore } from 'react';
import type { PagedWindow } from './paged-window.ts';

/** Draws the component again when rows or total of the window change. */
export function useWindow<T>(view: PagedWindow<T>): PagedWindow<T> {
  useSyncExternalStore(view.subscribe, view.version);
  return view;
}

/** A list of a known length without its items, as the virtualiser wants it: rows are looked up by index. */
export const indexes = (length: number): ArrayLike<undefined> => ({ length });
