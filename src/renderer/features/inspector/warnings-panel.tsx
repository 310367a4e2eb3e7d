import type { SessionRow } from '../../../shared/session.ts';
import { t } from '../../i18n/t.ts';
import { Icon } from '../../ui/icon.tsx';
import { Path } from '../../ui/path.tsx';

/** What was odd in the native file: what, where, how often. */
export function WarningsPanel({ session }: { session: SessionRow }) {
  if (session.warnings.length === 0) return <p className="p-3 text-12 text-tx-3">{t.inspector.noWarnings}</p>;
  return (
    <div className="p-3 text-12">
      <p className="mb-2 text-tx-3">{t.inspector.warningsIntro}</p>
      <ul className="checks">
        {session.warnings.map((warning, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: warnings have no identity, the list is replaced whole
          <li key={i}>
            <Icon name="warn" tone="warn" />
            <div className="min-w-0">
              {warning.detail}
              {warning.count !== undefined && warning.count > 1 ? ` × ${warning.count}` : ''}
              {warning.file ? (
                <small className="row">
                  <Path path={warning.file} />
                  {warning.line === undefined ? null : <span>{t.reader.lineNumber(warning.line)}</span>}
                </small>
              ) : null}
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}
