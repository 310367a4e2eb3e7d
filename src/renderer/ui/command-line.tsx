import { t } from '../i18n/t.ts';
import { IconButton } from './button.tsx';
import { copyText } from './copy.ts';

/** A command or a path exactly as it is, to be read and copied. */
export function CommandLine({ text, label = t.handoff.copyCommand }: { text: string; label?: string }) {
  return (
    <div className="cmd">
      {text}
      <IconButton icon="copy" small label={label} onClick={() => void copyText(text)} />
    </div>
  );
}
