import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { Inked } from './inked.tsx';

/** Text of a history is data: no raw HTML, no remote picture, links only shown with their address and opened apart. */
const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener" title={href}>
      {children}
    </a>
  ),
  img: ({ alt, src }) => <span className="text-tx-3">{`[${alt || src || ''}]`}</span>,
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls sideways must be reachable by keyboard
    <pre className="code in" tabIndex={0}>
      {children}
    </pre>
  ),
  code: ({ className, children }) => (
    <code>{className && typeof children === 'string' ? <Inked code={children.replace(/\n$/, '')} /> : children}</code>
  ),
  h1: 'h4',
  h2: 'h4',
  h3: 'h5',
};

const PLAIN_ABOVE = 100_000;
const plugins = [remarkGfm];

/** Prose in Markdown. Texts of more than 100,000 characters are shown as they are. */
export function Prose({ text }: { text: string }) {
  if (text.length > PLAIN_ABOVE) return <div className="prose whitespace-pre-wrap">{text}</div>;
  return (
    <div className="prose">
      <Markdown remarkPlugins={plugins} components={components} skipHtml={false}>
        {text}
      </Markdown>
    </div>
  );
}
