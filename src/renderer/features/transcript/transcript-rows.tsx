import { type RefObject, useEffect, useRef, useState } from 'react';
import { Virtualizer } from 'virtua';
import type { SessionRow } from '../../../shared/session.ts';
import type { TranscriptRow } from '../../../shared/transcript.ts';
import { indexes } from '../../app/use-window.ts';
import { showEvent } from '../../app/view-state.ts';
import { formatClock } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { usePane } from '../../keymap/panes.ts';
import { copyText } from '../../ui/copy.ts';
import { Icon } from '../../ui/icon.tsx';
import { FindBar } from '../find/find-bar.tsx';
import { useFindBar } from '../find/use-find.ts';
import { closedAround, keysOf } from './folds.ts';
import { newRows } from './follow.ts';
import { JumpBar } from './jump-bar.tsx';
import type { Jumps } from './jumps.ts';
import { Row, rowName } from './row.tsx';
import { RuleLine } from './row-frame.tsx';
import { type Reader, useReader } from './use-reader.ts';
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
export function TranscriptRows(props: TranscriptRowsProps) {
  const { session, jumps, rows, first, onOpenSession } = props;
  const reader = useReader(rows, jumps, first, onOpenSession);
  const total = rows.total ?? 0;
  const find = useFindBar();
  const input = useRef<HTMLInputElement>(null);
  const [sought, setSought] = useState<{ ordinal: number; seq: number } | null>(null);
  useReaderPane(reader, total, props, () => openFind(find, input));
  useUnfolding(reader, rows, sought);
  const fresh = newRows(reader.follow, total);
  return (
    <>
      {find.open ? (
        <FindBar
          session={session.id}
          text={find.text}
          onText={(text) => {
            find.setText(text);
            find.setAt(null);
          }}
          list={reader.list}
          from={reader.at}
          at={find.at}
          onGo={(at, hit) => {
            find.setAt(at);
            reader.showAt(hit.ordinal ?? 0);
            setSought({ ordinal: hit.ordinal ?? 0, seq: hit.seq });
          }}
          onClose={() => {
            find.setOpen(false);
            reader.goTo(reader.at, 'nearest');
          }}
          input={input}
        />
      ) : null}
      <JumpBar
        jumps={jumps}
        total={total}
        at={reader.at}
        only={reader.only}
        onOnly={reader.showOnly}
        onJump={reader.jump}
      />
      <Feed reader={reader} rows={rows} agent={session.agent} />
      {fresh > 0 ? (
        <button
          type="button"
          className="pill"
          aria-label={`${t.reader.newRows(fresh)}. ${t.reader.newRowsHelp}`}
          onClick={() => reader.toEnd(false)}
        >
          <Icon name="arr-d" size={12} />
          {t.reader.newRows(fresh)}
        </button>
      ) : null}
      <Announcer fresh={fresh} />
    </>
  );
}

type Find = ReturnType<typeof useFindBar>;

/** Opens the bar, or goes back into it with all of its text chosen. */
function openFind(find: Find, input: RefObject<HTMLInputElement | null>): void {
  find.setOpen(true);
  requestAnimationFrame(() => input.current?.select());
}

/** Opens what is folded around an event that was gone to, once its row is loaded; what the reader folds then stays folded. */
function useUnfolding(reader: Reader, rows: RowWindow, sought: { ordinal: number; seq: number } | null): void {
  const done = useRef<typeof sought>(null);
  const row = sought === null ? undefined : rows.get(sought.ordinal);
  const { folds, actions } = reader;
  useEffect(() => {
    if (sought === null || row === undefined || done.current === sought) return;
    done.current = sought;
    const closed = closedAround(folds, row, sought.seq);
    if (closed.length > 0) actions.onFold(closed);
  }, [sought, row, folds, actions]);
}

/** What keys, menus and the palette can tell the transcript. */
function useReaderPane(reader: Reader, total: number, props: TranscriptRowsProps, find: () => void): void {
  const row = reader.activeRow;
  usePane('main', {
    session: props.session,
    actions: {
      next: () => reader.step(1),
      previous: () => reader.step(-1),
      nextPrompt: () => reader.jump('prompts', 1),
      previousPrompt: () => reader.jump('prompts', -1),
      nextError: () => reader.jump('errors', 1),
      previousError: () => reader.jump('errors', -1),
      first: () => reader.goTo(reader.ordinalAt(0)),
      last: () => reader.toEnd(true),
      unread: () => reader.goTo(reader.follow.line?.ordinal ?? total - 1),
      fold: () => row && reader.actions.onFold(keysOf(row)),
      foldAll: () => reader.setFolds((old) => ({ ...old, allTools: !old.allTools, toggled: new Set() })),
      thinking: () => reader.setFolds((old) => ({ ...old, thinking: !old.thinking })),
      open: () => row && showEvent(row.seq),
      find,
      back: props.onBack,
      closeTab: props.onCloseTab,
      copyEvent: () => row && void props.onCopyEvent(row.seq),
      copyLink: () => row && void copyText(props.linkTo(row.seq)),
    },
  });
}

/** The virtual list. Each row is an article that knows its place among all of them. */
function Feed({ reader, rows, agent }: { reader: Reader; rows: RowWindow; agent: string }) {
  const { active, count } = reader;
  return (
    <div
      ref={reader.list}
      className="scroll"
      role="feed"
      aria-label={t.reader.label}
      onWheel={reader.onIntent}
      onPointerDown={reader.onIntent}
      onTouchMove={reader.onIntent}
      onKeyDown={(event) => {
        reader.onIntent();
        const onRow = event.target instanceof HTMLElement && event.target.dataset.index !== undefined;
        if (event.key === 'Enter' && onRow && reader.activeRow) showEvent(reader.activeRow.seq);
      }}
      onFocus={(event) => {
        const index = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index;
        if (index !== undefined && Number(index) !== active) reader.mark(Number(index));
      }}
    >
      <Virtualizer
        ref={reader.handle}
        data={indexes(count)}
        keepMounted={count > 0 ? [active] : []}
        bufferSize={600}
        onScroll={reader.onScroll}
        onResize={reader.onResize}
      >
        {(_, index) => (
          <FeedItem
            key={`${reader.only ?? ''}${reader.ordinalAt(index)}`}
            reader={reader}
            rows={rows}
            agent={agent}
            index={index}
          />
        )}
      </Virtualizer>
    </div>
  );
}

function FeedItem({ reader, rows, agent, index }: { reader: Reader; rows: RowWindow; agent: string; index: number }) {
  const { follow, folds, actions, count } = reader;
  const ordinal = reader.ordinalAt(index);
  const row = rows.get(ordinal);
  const leavesBranch = row !== undefined && !row.active && rows.get(ordinal - 1)?.active !== false;
  const copy = row === undefined ? null : copyEdge(row, rows.get(ordinal - 1));
  return (
    <article
      className="tr in"
      tabIndex={index === reader.active ? 0 : -1}
      data-entry
      data-index={index}
      aria-posinset={index + 1}
      aria-setsize={count}
      aria-label={row ? rowName(row) : t.app.loading}
    >
      {follow.line?.ordinal === ordinal ? (
        <RuleLine isNew>{t.reader.newSince(formatClock(follow.line.since))}</RuleLine>
      ) : null}
      {leavesBranch ? <RuleLine>{t.reader.deadBranch}</RuleLine> : null}
      {copy === null ? null : <RuleLine>{copy}</RuleLine>}
      {row ? <Row row={row} agent={agent} folds={folds} actions={actions} /> : <div className="ghost-row" />}
      {index === count - 1 ? <div className="h-12" /> : null}
    </article>
  );
}

/** Words for where the copied part begins, behind the mark of the fork, and where it ends. */
function copyEdge(row: TranscriptRow, before: TranscriptRow | undefined): string | null {
  if (row.copied) return before?.kind === 'rule' && !before.copied ? t.reader.copied : null;
  return before?.copied && row.kind !== 'warning' ? t.reader.copiedEnd : null;
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
