import type { SessionRow } from '../../../shared/session.ts';
import { formatPercent, formatTokens } from '../../i18n/format.ts';
import { t } from '../../i18n/t.ts';

/** The kinds of usage in the order of the meter, each with its ink. */
const KINDS = [
  { key: 'cache_read', ink: 'var(--ch-2)' },
  { key: 'cache_write', ink: 'var(--ch-3)' },
  { key: 'input', ink: 'var(--ch-1)' },
  { key: 'output', ink: 'var(--tx-2)' },
] as const;

/** What the next request would carry; apart from it, what all requests so far used, by kind. */
export function ContextSection({ session }: { session: SessionRow }) {
  const { usage } = session;
  const total = KINDS.reduce((sum, kind) => sum + usage[kind.key], 0);
  const used = KINDS.filter((kind) => usage[kind.key] > 0);
  return (
    <>
      <section className="sec">
        <h3 className="sec-h !mb-0">
          {t.inspector.context}
          <span className="cnt">
            {session.context_tokens === null
              ? t.inspector.contextUnknown
              : t.inspector.contextTokens(session.context_tokens)}
          </span>
        </h3>
      </section>
      {total > 0 ? (
        <section className="sec">
          <h3 className="sec-h">
            {t.inspector.usage}
            <span className="cnt">{t.inspector.usageTotal(total)}</span>
          </h3>
          <div
            className="meter"
            role="img"
            aria-label={`${t.inspector.usage}: ${used.map((kind) => `${t.inspector.usageKinds[kind.key]} ${formatTokens(usage[kind.key])}`).join(', ')}`}
          >
            {used.map((kind) => (
              <i key={kind.key} style={{ width: `${(usage[kind.key] / total) * 100}%`, background: kind.ink }} />
            ))}
          </div>
          <div className="legend mt-2">
            {used.map((kind) => (
              <Line
                key={kind.key}
                ink={kind.ink}
                name={t.inspector.usageKinds[kind.key]}
                tokens={usage[kind.key]}
                total={total}
              />
            ))}
          </div>
          {usage.reasoning > 0 ? (
            <p className="mt-2 text-11 text-tx-3">{t.inspector.usageThinking(usage.reasoning)}</p>
          ) : null}
          <p className="mt-2 text-11 text-tx-3">{t.inspector.usageHint}</p>
        </section>
      ) : null}
    </>
  );
}

function Line({ ink, name, tokens, total }: { ink: string; name: string; tokens: number; total: number }) {
  return (
    <>
      <span className="sw" style={{ background: ink }} />
      <span>{name}</span>
      <span className="v">{formatTokens(tokens)}</span>
      <span className="pc">{formatPercent(tokens, total)}</span>
    </>
  );
}
