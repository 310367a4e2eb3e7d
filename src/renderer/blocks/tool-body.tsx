import { useState } from 'react';
import type { ToolCard as Call } from '../../shared/transcript.ts';
import { useClient } from '../app/client-context.ts';
import { t } from '../i18n/t.ts';
import { Button } from '../ui/button.tsx';
import { sayError } from '../ui/toast.tsx';
import { type Block, Thumbnail, textOf } from './content.tsx';
import { Diff } from './diff.tsx';
import { Output } from './output.tsx';

interface ToolBodyProps {
  call: Call;
  onOpenSession(id: string): void;
}

/** The inside of a tool call: by kind the diff, the output, or the input and the output. */
export function ToolBody({ call, onOpenSession }: ToolBodyProps) {
  const child = call.child_session;
  return (
    <>
      {call.diff ? <Diff diff={call.diff} path={call.header} /> : null}
      {showsInput(call) ? <Output text={inputText(call.arguments)} code /> : null}
      {call.diff && !call.result?.is_error ? null : <Result call={call} />}
      {child ? (
        <div className="more">
          <button type="button" className="link" onClick={() => onOpenSession(child)}>
            {t.tool.openChild}
          </button>
        </div>
      ) : null}
    </>
  );
}

/** The header says it all for these kinds; the others show what they were given. */
const HEADER_IS_INPUT: ReadonlySet<Call['tool']> = new Set(['shell', 'read', 'search', 'web']);
const showsInput = (call: Call): boolean =>
  !call.diff && (!HEADER_IS_INPUT.has(call.tool) || (call.tool === 'shell' && call.header.includes('…')));

const inputText = (input: unknown): string => (typeof input === 'string' ? input : JSON.stringify(input, null, 2));

function Result({ call }: { call: Call }) {
  const client = useClient();
  const [loaded, setLoaded] = useState<string | null>(null);
  const result = call.result;
  if (!result) return null;
  const cut = result.truncated;
  const text = loaded ?? textOf(result.content);
  const images = result.content.filter((block): block is Extract<Block, { kind: 'image' }> => block.kind === 'image');
  const loadAll = async () => {
    if (!cut) return;
    try {
      const answer = await client.call('artifacts.get', { hash: cut.artifact });
      setLoaded(decode(answer.base64));
    } catch (thrown) {
      sayError(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  return (
    <>
      {text === '' && images.length === 0 ? <div className="more">{t.tool.noOutput}</div> : null}
      {text === '' ? null : (
        <Output text={text} code={call.tool === 'read'}>
          {cut && loaded === null ? (
            <>
              <span>{t.tool.cut(cut.bytes)}</span>
              <Button kind="quiet" size="small" onClick={() => void loadAll()}>
                {t.tool.loadAll(cut.bytes)}
              </Button>
            </>
          ) : null}
        </Output>
      )}
      {images.length > 0 ? (
        <div className="thumbs px-3 pb-2">
          {images.map((image) => (
            <Thumbnail key={image.artifact} image={image} />
          ))}
        </div>
      ) : null}
    </>
  );
}

const decode = (base64: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
