import { t } from '../i18n/t.ts';
import { say, sayError } from './toast.tsx';

/** Puts text on the clipboard and says whether it worked. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(t.app.copied, { icon: 'copy' });
  } catch {
    sayError(t.app.notCopied);
  }
}
