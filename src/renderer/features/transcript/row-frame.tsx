import type { ReactNode } from 'react';
import type { TranscriptRow } from '../../../shared/transcript.ts';
import { t } from '../../i18n/t.ts';

interface EventNumberProps {
  seq: number;
  onShow(seq: number): void;
}

/** The number of an event in the gutter; it opens the event in the inspector. */
export function EventNumber({ seq, onShow }: EventNumberProps) {
  return (
    <span className="eno">
      <button
        type="button"
        tabIndex={-1}
        aria-label={t.reader.showEvent(seq)}
        onClick={() => onShow(seq)}
      >{`e${seq}`}</button>
    </span>
  );
}

/** A row of the transcript: event number in the gutter, matter beside it; a dead branch is dashed and said in words. */
export function RowFrame({
  row,
  onShow,
  children,
}: {
  row: TranscriptRow;
  onShow(seq: number): void;
  children: ReactNode;
}) {
  return (
    <div className="ev">
      <EventNumber seq={row.seq} onShow={onShow} />
      {row.active ? <div className="min-w-0">{children}</div> : <div className="is-dead min-w-0">{children}</div>}
    </div>
  );
}

/** A line across the transcript, with words on it. */
export function RuleLine({
  seq,
  onShow,
  isNew = false,
  children,
}: {
  seq?: number;
  onShow?(seq: number): void;
  isNew?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={`rule ${isNew ? 'new' : ''}`}>
      {seq === undefined || !onShow ? <span className="eno" /> : <EventNumber seq={seq} onShow={onShow} />}
      <div>{children}</div>
    </div>
  );
}
