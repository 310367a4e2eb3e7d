import { useState } from 'react';
import { t } from '../i18n/t.ts';
import { Inked } from './inked.tsx';

const PREVIEW = 12;

interface OutputProps {
  text: string;
  /** colours for code; plain for what a program printed */
  code?: boolean;
  /** what stands under it beside the count of lines */
  children?: React.ReactNode;
}

/** Text of a program or a file: the first lines, and all of it on demand. */
export function Output({ text, code = false, children }: OutputProps) {
  const [whole, setWhole] = useState(false);
  const lines = text.replace(/\n$/, '').split('\n');
  const cut = !whole && lines.length > PREVIEW + 2;
  const shown = cut ? lines.slice(0, PREVIEW).join('\n') : lines.join('\n');
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls sideways must be reachable by keyboard */}
      <pre className="code in" tabIndex={0}>
        {code ? <Inked code={shown} /> : shown}
      </pre>
      {lines.length > PREVIEW + 2 || children ? (
        <div className="more">
          {lines.length > PREVIEW + 2 ? (
            <>
              <span>{t.tool.lines(cut ? PREVIEW : lines.length, lines.length)}</span>
              <button type="button" className="link" onClick={() => setWhole(!whole)}>
                {whole ? t.app.showLess : t.app.showAll}
              </button>
            </>
          ) : null}
          {children}
        </div>
      ) : null}
    </>
  );
}
