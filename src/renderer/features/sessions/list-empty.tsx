import { useNavigate } from '@tanstack/react-router';
import { toAppError } from '../../../shared/errors.ts';
import { useClient } from '../../app/client-context.ts';
import { useInfo, useJobs, useSources } from '../../app/queries.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Progress } from '../../ui/progress.tsx';
import { sayError } from '../../ui/toast.tsx';
import { narrowing, parseQuery, writeQuery } from './query-language.ts';

const sayFailure = (thrown: unknown): void => sayError(toAppError(thrown).message);

/** Why the list is empty, and the one thing to do about it. */
export function ListEmpty({ text, onText }: { text: string; onText(text: string): void }) {
  const client = useClient();
  const navigate = useNavigate();
  const info = useInfo();
  const sources = useSources().data ?? [];
  const job = useJobs().find((candidate) => candidate.kind === 'import' && candidate.state === 'running');
  const parsed = parseQuery(text);
  const filters = narrowing(parsed).length + (parsed.words.length > 0 ? 1 : 0);

  if (filters > 0) {
    const cleared = writeQuery({ words: [], filters: parsed.filters.filter((filter) => filter.key === 'sort') });
    return (
      <Empty icon="filter" title={t.list.noMatch} why={t.list.noMatchWhy(info?.sessions ?? 0)}>
        <Button kind="primary" onClick={() => onText(cleared)}>
          {t.list.clearFilters(filters)}
        </Button>
      </Empty>
    );
  }
  if (job) {
    return (
      <Empty
        icon="import"
        title={t.list.reading}
        why={t.list.readingWhy(job.done, job.total)}
        detail={<Progress label={t.list.reading} done={job.done} total={job.total} />}
      >
        <Button onClick={() => void client.call('jobs.cancel', { id: job.id }).catch(sayFailure)}>
          {t.list.stopReading}
        </Button>
      </Empty>
    );
  }
  const anyOn = sources.some((source) => source.enabled);
  return (
    <Empty icon="sessions" title={t.list.none} why={anyOn ? t.list.noneRead : t.list.noneWhy}>
      <Button kind="primary" onClick={() => void navigate({ to: '/welcome' })}>
        {t.list.chooseSources}
      </Button>
    </Empty>
  );
}
