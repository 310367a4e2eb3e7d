import type { Counts, SessionRow } from '../../../shared/session.ts';
import { formatCount } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';
import { ContextSection } from './context-section.tsx';

const COUNTED = Object.keys(t.inspector.countKinds) as (keyof Counts)[];

/** Usage of a session and what its conversation is made of. */
export function TokensPanel({ session }: { session: SessionRow }) {
  return (
    <>
      <ContextSection session={session} />
      <section className="sec">
        <h3 className="sec-h">{t.inspector.counts}</h3>
        <dl className="kv">
          {COUNTED.map((kind) => (
            <Amount key={kind} name={t.inspector.countKinds[kind]} value={formatCount(session.counts[kind])} />
          ))}
        </dl>
      </section>
    </>
  );
}

function Amount({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
