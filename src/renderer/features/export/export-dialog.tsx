import { type RefObject, useRef, useState } from 'react';
import { toAppError } from '../../../shared/errors.ts';
import type { SessionRow } from '../../../shared/session.ts';
import { useClient } from '../../app/client-context.ts';
import { useJobs, useSession } from '../../app/queries.ts';
import { closeExport, useView } from '../../app/view-state.ts';
import { t } from '../../i18n/t.ts';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Overlay } from '../../ui/overlay.tsx';
import { sayError } from '../../ui/toast.tsx';
import { useStartKey } from '../handoff/sheet-keys.ts';
import { titleOf } from '../sessions/words.ts';
import type { Choice } from './choice.ts';
import { ExportChoice } from './export-choice.tsx';
import { ExportRun } from './export-run.tsx';

const sayFailure = (thrown: unknown): void => sayError(toAppError(thrown).message);

/** Writes the open session to a file for people or other programs; secrets stay behind. */
export function ExportDialog() {
  const session = useSession(useView((view) => view.exporting) ?? '').data;
  const first = useRef<HTMLButtonElement>(null);
  return (
    <Overlay
      label={t.exporting.label}
      className="pal flex flex-col"
      open={session !== undefined}
      focus={first}
      onClose={closeExport}
    >
      {session ? <ExportBody key={session.id} session={session} first={first} /> : null}
    </Overlay>
  );
}

function ExportBody({ session, first }: { session: SessionRow; first: RefObject<HTMLButtonElement | null> }) {
  const client = useClient();
  const jobs = useJobs();
  const [choice, setChoice] = useState<Choice>({ format: 'html', all: false, subagents: true });
  const [id, setId] = useState<string | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const asked = useRef(false);
  const job = jobs.find((candidate) => candidate.id === id);

  useStartKey(id === null, () => void start());
  const start = async () => {
    if (asked.current) return;
    asked.current = true;
    setRefused(null);
    try {
      setId((await client.call('export.start', { session: session.id, ...choice })).id);
    } catch (thrown) {
      setRefused(toAppError(thrown).message);
    } finally {
      asked.current = false;
    }
  };

  return (
    <>
      <div className="head line !ps-5">
        <Icon name="export" size={18} />
        <h2 className="text-15">{t.exporting.label}</h2>
        <span className="cut text-tx-3">{titleOf(session)}</span>
        <span className="fill" />
        <IconButton icon="close" label={t.app.close} onClick={closeExport} />
      </div>
      {id === null ? (
        <ExportChoice
          session={session}
          choice={choice}
          refused={refused}
          first={first}
          onChoice={setChoice}
          onStart={start}
        />
      ) : (
        <ExportRun
          job={job}
          onCancel={() => void client.call('jobs.cancel', { id }).catch(sayFailure)}
          onAgain={() => setId(null)}
        />
      )}
    </>
  );
}
