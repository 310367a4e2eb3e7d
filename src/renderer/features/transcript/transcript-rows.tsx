import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { SessionRow } from '../../../shared/session.ts';
import { indexes } from '../../app/use-window.ts';
import { showEvent } from '../../app/view-state.ts';
import { formatClock } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { usePane } from '../../keymap/panes.ts';
import { copyText } from '../../ui/copy.ts';
import { Icon } from '../../ui/icon.tsx';
import { say } from '../../ui/toast.tsx';
import { useRoving, visibleRange } from '../../ui/use-roving.ts';
import { keysOf, NO_FOLDS, toggle } from './folds.ts';
import { newRows } from './follow.ts';
import { JumpBar } from './jump-bar.tsx';
import { type JumpKind, type Jumps, jumpFrom, placeAmong } from './jumps.ts';
import { Row, rowName } from './row.tsx';
import { RuleLine } from './row-frame.tsx';
import { useFollow } from './use-follow.ts';
import type { RowWindow } from './use-transcript.ts';

interface TranscriptRowsProps {
  session: SessionRow;
  jumps: Jumps;
  rows: RowWindow;
  /** the row a link points at; null opens at the end */
  first: number | null;
  onOpenSession(id: string): void;
  onBack(): void;
  onCloseTab(): void;
  onCopyEvent(seq: number): Promise<void>;
  linkTo(seq: number): string;
}

/** The rows of a session, virtual over the known total, with jumps, folds and follow mode. */
export function TranscriptRows({
  session,
  jumps,
  rows,
  first,
  onOpenSession,
  onBack,
  onCloseTab,
  onCopyEvent,
  linkTo,
}: TranscriptRowsProps) {
  const list = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const total = rows.total ?? 0;
  const [only, setOnly] = useState<JumpKind | null>(null);
  const [folds, setFolds] = useState(NO_FOLDS);
  const [top, setTop] = useState(0);

  // With a filter the list runs over the ordinals of one kind, which are all known: its length is true as well.
  const shown = only === null ? null : jumps[only];
  const count = shown?.length ?? total;
  const ordinalAt = (index: number) => (shown ? (shown[index] ?? 0) : index);
  const indexOf = (ordinal: number) => (shown ? Math.max(0, placeAmong(shown, ordinal) - 1) : ordinal);
  const { active, go, mark } = useRoving(list, handle, count);
  const { follow, toEnd, onScroll: followScroll, onIntent, leave } = useFollow(handle, total, count, first === null);

  const look = () => {
    if (!handle.current || count === 0) return;
    const [from, to] = visibleRange(handle.current);
    setTop(from);
    if (shown) for (let i = from; i <= to; i += 1) rows.ensure(ordinalAt(i), ordinalAt(i));
    else rows.ensure(from, to);
  };
  useEffect(look);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, where the link or the end is
  useLayoutEffect(() => {
    if (first === null) {
      mark(total - 1);
      toEnd();
    } else {
      leave();
      go(first, 'center');
    }
  }, [first]);

  const visibleActive = active >= top && handle.current !== null && active <= visibleRange(handle.current)[1];
  const at = ordinalAt(visibleActive ? active : top);
  const goTo = (ordinal: number, align: 'nearest' | 'start' = 'start') => {
    if (ordinal < total - 1) leave();
    go(indexOf(ordinal), align);
  };
  const jump = (kind: JumpKind, direction: 1 | -1) => {
    const target = jumpFrom(jumps[kind], at, direction);
    if (target !== null) goTo(target);
    else if (jumps[kind].length === 0) say(t.reader.noneOf[kind], { icon: 'info' });
  };
  const actions = useMemo(
    () => ({
      onShow: (seq: number) => showEvent(seq),
      onFold: (keys: readonly string[]) => setFolds((old) => toggle(old, keys)),
      onOpenSession,
    }),
    [onOpenSession],
  );
  const activeRow = rows.get(ordinalAt(active));
  const step = (delta: 1 | -1) => {
    const inside = list.current?.contains(document.activeElement) ?? false;
    goTo(ordinalAt(inside ? active + delta : active), 'nearest');
  };
  const end = useCallback(() => {
    setOnly(null);
    mark(total - 1);
    toEnd();
  }, [mark, toEnd, total]);

  usePane('main', {
    session,
    actions: {
      next: () => step(1),
      previous: () => step(-1),
      nextPrompt: () => jump('prompts', 1),
      previousPrompt: () => jump('prompts', -1),
      nextError: () => jump('errors', 1),
      previousError: () => jump('errors', -1),
      first: () => goTo(ordinalAt(0)),
      last: () => {
        go(count - 1);
        end();
      },
      unread: () => goTo(follow.line?.ordinal ?? total - 1),
      fold: () => activeRow && actions.onFold(keysOf(activeRow)),
      foldAll: () => setFolds((old) => ({ ...old, allTools: !old.allTools, toggled: new Set() })),
      thinking: () => setFolds((old) => ({ ...old, thinking: !old.thinking })),
      open: () => activeRow && showEvent(activeRow.seq),
      back: onBack,
      closeTab: onCloseTab,
      copyEvent: () => activeRow && void onCopyEvent(activeRow.seq),
      copyLink: () => activeRow && void copyText(linkTo(activeRow.seq)),
    },
  });

  const fresh = newRows(follow, total);
  return (
    <>
      <JumpBar
        jumps={jumps}
        total={total}
        at={at}
        only={only}
        onOnly={(kind) => {
          leave();
          setOnly(kind);
        }}
        onJump={jump}
      />
      <div
        ref={list}
        className="scroll"
        role="feed"
        aria-label={t.reader.label}
        onWheel={onIntent}
        onPointerDown={onIntent}
        onTouchMove={onIntent}
        onKeyDown={(event) => {
          onIntent();
          if (event.key === 'Enter' && event.target instanceof HTMLElement && event.target.dataset.index && activeRow)
            showEvent(activeRow.seq);
        }}
        onFocus={(event) => {
          const index = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index;
          if (index !== undefined && Number(index) !== active) mark(Number(index));
        }}
      >
        <Virtualizer
          ref={handle}
          data={indexes(count)}
          keepMounted={count > 0 ? [active] : []}
          bufferSize={600}
          onScroll={() => {
            look();
            if (only === null) followScroll();
          }}
          onResize={() => {
            look();
            if (only === null && follow.following) toEnd();
          }}
        >
          {(_, index) => {
            const ordinal = ordinalAt(index);
            const row = rows.get(ordinal);
            return (
              <article
                key={`${only ?? ''}${ordinal}`}
                className="tr in"
                tabIndex={index === active ? 0 : -1}
                data-entry
                data-index={index}
                aria-posinset={index + 1}
                aria-setsize={count}
                aria-label={row ? rowName(row) : t.app.loading}
              >
                {follow.line?.ordinal === ordinal ? (
                  <RuleLine isNew>{t.reader.newSince(formatClock(follow.line.since))}</RuleLine>
                ) : null}
                {row && !row.active && rows.get(ordinal - 1)?.active !== false ? (
                  <RuleLine>{t.reader.deadBranch}</RuleLine>
                ) : null}
                {row ? (
                  <Row row={row} agent={session.agent} folds={folds} actions={actions} />
                ) : (
                  <div className="ghost-row" />
                )}
                {index === count - 1 ? <div className="h-12" /> : null}
              </article>
            );
          }}
        </Virtualizer>
      </div>
      {fresh > 0 ? (
        <button
          type="button"
          className="pill"
          aria-label={`${t.reader.newRows(fresh)}. ${t.reader.newRowsHelp}`}
          onClick={end}
        >
          <Icon name="arr-d" size={12} />
          {t.reader.newRows(fresh)}
        </button>
      ) : null}
      <Announcer fresh={fresh} />
    </>
  );
}

/** Tells screen readers how much is new, at most once in 5 s, and never what. */
function Announcer({ fresh }: { fresh: number }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (fresh === 0) return;
    const timer = setTimeout(() => setSaid(t.list.newCount(fresh)), 5000);
    return () => clearTimeout(timer);
  }, [fresh]);
  return (
    <div className="sr-only" role="status">
      {said}
    </div>
  );
}
