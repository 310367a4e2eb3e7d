import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { TranscriptRow } from '../../../shared/transcript.ts';
import { showEvent } from '../../app/view-state.ts';
import { t } from '../../i18n/t.ts';
import { say } from '../../ui/toast.tsx';
import { useRoving, visibleRange } from '../../ui/use-roving.ts';
import { type Folds, NO_FOLDS, toggle } from './folds.ts';
import type { Follow } from './follow.ts';
import { type JumpKind, type Jumps, jumpFrom, placeAmong } from './jumps.ts';
import type { RowActions } from './rows.tsx';
import { useFollow } from './use-follow.ts';
import type { RowWindow } from './use-transcript.ts';

/** The state of one open transcript: where the reader is, what is shown alone, what is folded, and whether it follows. */
export interface Reader {
  list: RefObject<HTMLDivElement | null>;
  handle: RefObject<VirtualizerHandle | null>;
  /** rows on screen's list: all, or those of one kind */
  count: number;
  ordinalAt(index: number): number;
  /** index of the row with the tab stop, and the row itself when it is loaded */
  active: number;
  activeRow: TranscriptRow | undefined;
  mark(index: number): void;
  /** ordinal the reader is at, for the counters */
  at: number;
  only: JumpKind | null;
  showOnly(kind: JumpKind | null): void;
  folds: Folds;
  setFolds(change: (folds: Folds) => Folds): void;
  follow: Follow;
  actions: RowActions;
  goTo(ordinal: number, align?: 'nearest' | 'start'): void;
  /** brings a row into the middle of the view, among all rows, without taking the focus */
  showAt(ordinal: number): void;
  step(delta: 1 | -1): void;
  jump(kind: JumpKind, direction: 1 | -1): void;
  /** to the end, and follow; with the focus when it was asked for by key */
  toEnd(focus: boolean): void;
  onScroll(): void;
  onResize(): void;
  onIntent(): void;
}

/** @param first ordinal that a link points at; null opens at the end and follows */
export function useReader(
  rows: RowWindow,
  jumps: Jumps,
  first: number | null,
  onOpenSession: (id: string) => void,
): Reader {
  const total = rows.total ?? 0;
  const [folds, setFolds] = useState(NO_FOLDS);
  const place = usePlace(rows, jumps);
  const { handle, only, count, ordinalAt, active, go, mark, look } = place;
  const following = useFollow(handle, total, count, first === null);
  const { follow, leave } = following;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, where the link or the end is
  useLayoutEffect(() => {
    if (first === null) mark(total - 1);
    else go(first, 'center');
    if (first === null) following.toEnd();
  }, [first]);

  const goTo = (ordinal: number, align: 'nearest' | 'start' = 'start') => {
    if (ordinal < total - 1) leave();
    go(place.indexOf(ordinal), align);
  };
  // At the end everything lies behind the reader, also where all of it is on screen, until they go to a row.
  const at = follow.following && only === null && !place.hasFocus() ? total - 1 : place.at;
  return {
    ...place,
    at,
    activeRow: rows.get(ordinalAt(active)),
    folds,
    setFolds,
    follow,
    goTo,
    showAt: (ordinal) => {
      leave();
      place.setOnly(null);
      mark(ordinal);
      // when the list holds all rows again
      requestAnimationFrame(() => handle.current?.scrollToIndex(ordinal, { align: 'center' }));
    },
    actions: useRowActions(setFolds, onOpenSession),
    showOnly: (kind) => {
      leave();
      place.setOnly(kind);
    },
    step: (delta) => goTo(ordinalAt(place.hasFocus() ? active + delta : active), 'nearest'),
    jump: (kind, direction) => {
      const target = jumpFrom(jumps[kind], at, direction);
      if (target !== null) goTo(target);
      else if (jumps[kind].length === 0) say(t.reader.noneOf[kind], { icon: 'info' });
    },
    toEnd: (focus) => {
      place.setOnly(null);
      if (focus) go(total - 1);
      else mark(total - 1);
      following.toEnd();
    },
    onScroll: () => {
      look();
      if (only === null) following.onScroll();
    },
    onResize: () => {
      look();
      if (only === null && follow.following) following.toEnd();
    },
    onIntent: following.onIntent,
  };
}

/** Which rows are listed, which of them is active, and which are on screen and so must be loaded. */
function usePlace(rows: RowWindow, jumps: Jumps) {
  const list = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const [only, setOnly] = useState<JumpKind | null>(null);
  const [top, setTop] = useState(0);
  // With a filter the list runs over the ordinals of one kind, which are all known: its length is true as well.
  const shown = only === null ? null : jumps[only];
  const count = shown?.length ?? rows.total ?? 0;
  const ordinalAt = (index: number) => (shown ? (shown[index] ?? 0) : index);
  const { active, go, mark } = useRoving(list, handle, count);
  const look = () => {
    if (!handle.current || count === 0) return;
    const [from, to] = visibleRange(handle.current);
    setTop(from);
    if (shown) rows.ensureEach(shown.slice(from, to + 1));
    else rows.ensure(from, to);
  };
  useEffect(look);
  const isOnScreen = handle.current !== null && active >= top && active <= visibleRange(handle.current)[1];
  return {
    list,
    handle,
    only,
    setOnly,
    count,
    ordinalAt,
    indexOf: (ordinal: number) => (shown ? Math.max(0, placeAmong(shown, ordinal) - 1) : ordinal),
    active,
    go,
    mark,
    look,
    at: ordinalAt(isOnScreen ? active : top),
    hasFocus: () => list.current?.contains(document.activeElement) ?? false,
  };
}

function useRowActions(setFolds: Reader['setFolds'], onOpenSession: (id: string) => void): RowActions {
  return useMemo(
    () => ({
      onShow: (seq) => showEvent(seq),
      onFold: (keys) => setFolds((old) => toggle(old, keys)),
      onOpenSession,
    }),
    [setFolds, onOpenSession],
  );
}
