import { useMemo } from 'react';
import { highlight } from './highlight.ts';

/** Code in its four inks. */
export function Inked({ code }: { code: string }) {
  const spans = useMemo(() => highlight(code), [code]);
  // Spans have no identity of their own; the list is replaced whole with its code.
  return spans.map((span, i) =>
    span.ink ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <span key={i} className={span.ink}>
        {span.text}
      </span>
    ) : (
      span.text
    ),
  );
}
