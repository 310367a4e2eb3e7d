import type { z } from 'zod';
import type { budgetSchema } from '../../shared/handoff.ts';
import { formatTokens } from '../i18n/format.ts';
import { t } from '../i18n/t.ts';

type Budget = z.infer<typeof budgetSchema>;
const CLASSES = { p0: 'p0', p1: 'p1', p2: 'p2', history: 'p1' } as const;

/** The window of the target: reserve, what goes in by priority, what is free; what is over hangs past a red line. */
export function BudgetBar({ budget }: { budget: Budget }) {
  const total = budget.reserve + budget.used;
  const scale = Math.max(budget.window, total);
  const over = total - budget.window;
  const parts = budget.parts.filter((part) => part.tokens > 0);
  const free = Math.max(0, -over);
  const words = [
    `${t.handoff.reserve} ${formatTokens(budget.reserve)}`,
    ...parts.map((part) => `${t.handoff.parts[part.name]} ${formatTokens(part.tokens)}`),
    over > 0 ? `${t.handoff.over} ${formatTokens(over)}` : `${t.handoff.free} ${formatTokens(free)}`,
  ];
  const width = (tokens: number) => ({ width: `${(tokens / scale) * 100}%` });
  return (
    <>
      <div className="bud sm" role="img" aria-label={words.join(', ')}>
        <span className="res" style={width(budget.reserve)} />
        {parts.map((part) => (
          <span key={part.name} className={CLASSES[part.name]} style={width(part.tokens)} />
        ))}
        {over > 0 ? <b className="limit" style={{ insetInlineStart: `${(budget.window / scale) * 100}%` }} /> : null}
      </div>
      <div className="row mt-1.5 flex-wrap gap-x-3 gap-y-0 text-11 text-tx-3">
        {words.map((word) => (
          <span key={word} className={over > 0 && word.startsWith(t.handoff.over) ? 'text-bad-tx' : ''}>
            {word}
          </span>
        ))}
      </div>
    </>
  );
}
