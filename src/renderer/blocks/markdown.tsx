import { Component, type ReactNode } from 'react';
import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { Inked } from './inked.tsx';
import { isPlain } from './plain-text.ts';

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

const plugins = [remarkGfm];

/** Prose in Markdown; what that does not suit, or what fails to be read as that, is shown as it is. */
export function Prose({ text }: { text: string }) {
  const plain = <div className="prose whitespace-pre-wrap">{text}</div>;
  if (isPlain(text)) return plain;
  return (
    <Fallback key={text.length} instead={plain}>
      <div className="prose">
        <Markdown remarkPlugins={plugins} components={components} skipHtml={false}>
          {text}
        </Markdown>
      </div>
    </Fallback>
  );
}

/** One text that cannot be drawn does not take the window with it. */
class Fallback extends Component<{ instead: ReactNode; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.instead : this.props.children;
  }
}
