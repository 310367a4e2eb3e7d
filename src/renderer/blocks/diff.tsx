import { useMemo, useState } from 'react';
import { t } from '../i18n/t.ts';
import { type DiffLine, parseUnified } from './diff-lines.ts';
import { Inked } from './inked.tsx';

const INLINE = 40;
const SIGNS = { same: '', add: '+', remove: '−', hunk: '⋯' } as const;
const CLASSES = { same: '', add: 'a', remove: 'r', hunk: 'h' } as const;

/** A unified diff: numbers of both sides, signs always shown, changed words tinted. Long ones open on demand. */
export function Diff({ diff, path }: { diff: string; path: string }) {
  const [whole, setWhole] = useState(false);
  const lines = useMemo(() => parseUnified(diff), [diff]);
  const shown = whole ? lines : lines.slice(0, INLINE);
  return (
    <>
      <figure className="diff" aria-label={t.tool.diffOf(path)}>
        {shown.map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line of a diff is its place
          <Line key={i} line={line} />
        ))}
      </figure>
      {lines.length > INLINE ? (
        <div className="more">
          <span>{t.tool.lines(shown.length, lines.length)}</span>
          <button type="button" className="link" onClick={() => setWhole(!whole)}>
            {whole ? t.app.showLess : t.app.showAll}
          </button>
        </div>
      ) : null}
    </>
  );
}

function Line({ line }: { line: DiffLine }) {
  return (
    <div className={`d ${CLASSES[line.kind]}`}>
      <span>{line.before}</span>
      <span>{line.after}</span>
      <span>{SIGNS[line.kind]}</span>
      <span>
        {line.pieces.map((piece, i) =>
          piece.changed ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces are parts of one text
            <mark key={i}>{piece.text}</mark>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <Inked key={i} code={piece.text} />
          ),
        )}
      </span>
    </div>
  );
}
