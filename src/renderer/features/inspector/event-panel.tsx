import { useQuery } from '@tanstack/react-query';
import { toAppError } from '../../../shared/errors.ts';
import { useClient } from '../../app/client-context.ts';
import { queries } from '../../app/queries.ts';
import { Inked } from '../../blocks/inked.tsx';
import { t } from '../../i18n/t.ts';
import { IconButton } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.ts';

/** One event exactly as the log holds it. */
export function EventPanel({ id, seq }: { id: string; seq: number | null }) {
  const client = useClient();
  const { data, error } = useQuery({ ...queries.event(client, id, seq ?? 0), enabled: seq !== null });
  if (seq === null) return <p className="p-3 text-12 text-tx-3">{t.inspector.noEvent}</p>;
  if (error) return <p className="p-3 text-12 text-bad-tx">{toAppError(error).message}</p>;
  const json = data ? JSON.stringify(data, null, 2) : '';
  return (
    <section className="sec">
      <h3 className="sec-h">
        {t.inspector.eventTitle(seq)}
        <span className="fill" />
        <IconButton icon="copy" small label={t.inspector.copyEvent} onClick={() => void copyText(json)} />
      </h3>
      <pre className="code in !whitespace-pre-wrap !p-0 wrap-anywhere">
        <Inked code={json} />
      </pre>
    </section>
  );
}
