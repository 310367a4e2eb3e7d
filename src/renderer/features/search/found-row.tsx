import { memo } from 'react';
import type { SearchHit } from '../../../shared/search.ts';
import { formatWhen } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { AgentMark } from '../../ui/agent-mark.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { placeOf, titleOf } from '../sessions/words.ts';
import { type FoundRow as Found, piecesOf } from './found.ts';

interface FoundRowProps {
  row: Found;
  index: number;
  total: number;
  focusable: boolean;
  selected: boolean;
}

/** One row of what was found; all three kinds can be moved to and opened. */
export const FoundRow = memo(function FoundRow({ row, index, total, focusable, selected }: FoundRowProps) {
  return (
    <div
      role="option"
      aria-selected={selected}
      aria-setsize={total}
      aria-posinset={index + 1}
      tabIndex={focusable ? 0 : -1}
      data-entry
      data-index={index}
      className={`${row.kind === 'session' ? 'srow' : 'hit'} ${selected ? 'is-on' : ''}`}
    >
      {row.kind === 'session' ? <SessionHead row={row} /> : null}
      {row.kind === 'hit' ? <Hit hit={row.hit} /> : null}
      {row.kind === 'more' ? <span className="hit-more">{t.found.more(row.count)}</span> : null}
    </div>
  );
});

function SessionHead({ row: { session, total, exact } }: { row: Extract<Found, { kind: 'session' }> }) {
  return (
    <>
      <AgentMark agent={session.agent} />
      <div className="ti cut">{titleOf(session)}</div>
      <div className="tm">{session.last_activity === null ? '' : formatWhen(session.last_activity)}</div>
      <div className="l2">
        <span className="cut">{placeOf(session)}</span>
      </div>
      <div className="sz">{t.found.hits(total, exact)}</div>
    </>
  );
}

function Hit({ hit }: { hit: SearchHit }) {
  const pieces = piecesOf(hit);
  const word = hit.tool ?? t.found.kinds[hit.kind];
  const aside = [
    ...(hit.error ? [t.found.failed] : []),
    ...(hit.active ? [] : [t.found.undone]),
    ...(hit.active && !hit.in_model ? [t.found.compacted] : []),
  ];
  return (
    <>
      <Icon name={hit.error ? 'error' : ICONS[hit.kind]} size={14} tone={hit.error ? 'bad' : 'quiet'} />
      <div className="hit-t">
        <span className="hit-k">{[word, ...aside].join(', ')}</span>{' '}
        {hit.more_before && !pieces[0]?.text.startsWith('…') ? '…' : null}
        {pieces.map((piece, i) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text, replaced whole
          piece.matched ? <mark key={i}>{piece.text}</mark> : <span key={i}>{piece.text}</span>,
        )}
        {hit.more_after ? '…' : null}
      </div>
      <span className="hit-s">e{hit.seq}</span>
    </>
  );
}

const ICONS: Record<SearchHit['kind'], IconName> = {
  prompt: 'user',
  reply: 'speech',
  thinking: 'thought',
  tool: 'terminal',
  summary: 'compact',
  system: 'info',
  title: 'tag',
  note: 'bookmark',
};
