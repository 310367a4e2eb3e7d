import { t } from '../i18n/t.ts';
import { IconButton } from './button.tsx';
import { copyText } from './copy.ts';

/** The exact command, to be read and copied. */
export function CommandLine({ text }: { text: string }) {
  return (
    <div className="cmd">
      {text}
      <IconButton icon="copy" small label={t.handoff.copyCommand} onClick={() => void copyText(text)} />
    </div>
  );
}
