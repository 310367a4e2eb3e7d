import { type RefObject, useEffect } from 'react';
import { formatCount } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { IconButton } from '../../ui/button.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { markWords } from './mark.ts';
import { type Found, useFind } from './use-find.ts';
import { wordsOf } from './words.ts';

interface FindBarProps {
  session: string;
  text: string;
  onText(text: string): void;
  /** the list whose shown rows are marked */
  list: RefObject<HTMLElement | null>;
  /** ordinal the reader is at: the first hit that is gone to is the next one from there */
  from: number;
  /** number of the hit that was gone to last, from 0; null before the first */
  at: number | null;
  onGo(at: number, hit: Found['hits'][number]): void;
  onClose(): void;
  input: RefObject<HTMLInputElement | null>;
}

/** Finds in all of a session: how many there are, which one this is; Enter goes on, Shift+Enter back, Escape leaves. */
export function FindBar({ session, text, onText, list, from, at, onGo, onClose, input }: FindBarProps) {
  const found = useFind(session, text);
  const hits = found?.hits ?? [];
  const words = wordsOf(text).join('\n');
  useEffect(() => {
    if (list.current && words !== '') return markWords(list.current, words.split('\n'));
    return undefined;
  }, [list, words]);

  const go = (step: 1 | -1) => {
    if (hits.length === 0) return;
    const first = hits.findIndex((hit) => (hit.ordinal ?? 0) >= from);
    const next = at === null ? (step === 1 ? Math.max(0, first) : (first < 0 ? hits.length : first) - 1) : at + step;
    const place = (next + hits.length) % hits.length;
    const hit = hits[place];
    if (hit) onGo(place, hit);
  };
  return (
    <div className="bar line" role="toolbar" aria-label={t.find.label}>
      <SearchField
        className="w-72"
        label={t.find.label}
        value={text}
        onChange={onText}
        clearLabel={t.list.clearSearch}
        inputRef={input}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape') onClose();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span className="cnt" role="status">
        {found ? countWords(found, at) : null}
      </span>
      <span className="fill" />
      <IconButton icon="arr-u" small label={t.find.previous} disabled={hits.length === 0} onClick={() => go(-1)} />
      <IconButton icon="arr-d" small label={t.find.next} disabled={hits.length === 0} onClick={() => go(1)} />
      <IconButton icon="close" small label={t.app.close} onClick={onClose} />
    </div>
  );
}

function countWords({ hits, total, exact, complete }: Found, at: number | null): string {
  const all = `${formatCount(total)}${exact ? '' : '+'}`;
  if (total === 0) return complete ? t.find.none : t.find.indexing;
  const more = total - hits.length;
  return [
    at === null ? t.find.count(all) : t.find.place(formatCount(at + 1), all),
    ...(more > 0 ? [t.find.unshown(more)] : []),
  ].join(', ');
}
