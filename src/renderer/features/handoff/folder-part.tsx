import { useId, useState } from 'react';
import { t } from '../../i18n/t.ts';

interface FolderPartProps {
  /** the folder that the new session would have; null = none is known */
  folder: string | null;
  /** '' = that of the session */
  onFolder(folder: string): void;
}

/** The new session's folder. Another one is taken when it is typed to its end: with Enter, or by leaving the field. */
export function FolderPart({ folder, onFolder }: FolderPartProps) {
  const field = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const commit = () => {
    if (typed !== null && typed.trim() !== (folder ?? '')) onFolder(typed.trim());
    setTyped(null);
  };
  return (
    <section className="sec">
      <label className="sec-h" htmlFor={field}>
        {t.handoff.folder}
      </label>
      <div className="field">
        <input
          id={field}
          className="mono !text-12"
          spellCheck={false}
          autoComplete="off"
          placeholder={t.handoff.folderPlaceholder}
          value={typed ?? folder ?? ''}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.metaKey || event.ctrlKey) return;
            event.preventDefault();
            commit();
          }}
        />
      </div>
    </section>
  );
}
