import { safeLine } from '../../core/safe-text.ts';
import type { FidelityReport, HandoffPlan } from '../../shared/handoff.ts';
import type { Cli } from '../command.ts';
import { number, tokens } from '../format.ts';

/** The plan of a handoff: checks, what arrives and what does not, sizes, and what would be written. */
export function showPlan(cli: Cli, plan: HandoffPlan): void {
  const { output } = cli;
  output.line(output.style('bold', `Continue “${safeLine(plan.title)}” in ${plan.target.label}`));
  output.line();
  for (const check of plan.checks) {
    const style =
      check.level === 'ok' ? 'green' : check.level === 'note' ? 'dim' : check.level === 'warn' ? 'yellow' : 'red';
    const mark = { ok: '✓', note: '·', warn: '!', stop: '✗' }[check.level];
    output.line(
      `${output.style(style, mark)} ${safeLine(check.text)}${check.detail ? output.style('dim', `  ${safeLine(check.detail)}`) : ''}`,
    );
  }
  output.line();
  showFidelity(cli, plan.fidelity);
  const { budget } = plan;
  output.line();
  output.line(
    `Window: ${tokens(budget.used)} ± ${tokens(budget.margin)} of ${tokens(budget.window - budget.reserve)} tokens (${budget.model ?? 'default model'}, ${budget.tokenizer})`,
  );
  for (const mode of plan.modes) {
    const turns =
      mode.turns === undefined
        ? ''
        : `, ${mode.turns === 1 ? 'the last turn' : `the last ${number(mode.turns)} turns`}`;
    const chosen = mode.mode === plan.mode ? '›' : ' ';
    // how much of a page will be filled is known when it is compiled
    const most = mode.mode === 'native' ? '' : 'at most ';
    const size = mode.tokens > 0 ? `${most}${tokens(mode.tokens)} tokens` : '';
    const why = mode.possible ? '' : safeLine(mode.why ?? 'not possible');
    output.line(`${chosen} ${mode.mode}${turns}: ${[size, why].filter(Boolean).join(' – ')}`);
  }
  const { removed, by_type } = plan.redaction;
  output.line(
    `Secrets removed: ${
      removed === 0
        ? 'none found'
        : Object.entries(by_type)
            .map(([type, count]) => `${type} ${count}`)
            .join(', ')
    }`,
  );
  output.line();
  output.line('Would write:');
  for (const file of plan.files) output.line(`  ${safeLine(file)}`);
  output.line(`Then run: ${safeLine(plan.command.text)}`);
  output.line(output.style('dim', 'Nothing is written now; id and time are given anew when it is.'));
  if (plan.refused) output.line(`\n${output.style('red', 'Not possible:')} ${safeLine(plan.refused.message)}`);
}

/** The fidelity table: worst losses first. */
function showFidelity(cli: Cli, { rows, events, tokens: counted }: FidelityReport): void {
  const order = { dropped: 0, summarised: 1, converted: 2, kept: 3 } as const;
  cli.output.table(
    rows.toSorted((a, b) => order[a.outcome] - order[b.outcome] || b.tokens - a.tokens),
    [
      { head: 'WHAT', cell: (row) => row.kind },
      { head: 'COUNT', cell: (row) => number(row.count), align: 'right' },
      { head: 'TOKENS', cell: (row) => tokens(row.tokens), align: 'right' },
      { head: 'OUTCOME', cell: (row) => row.outcome },
      { head: 'HOW', cell: (row) => row.how, grows: true },
    ],
  );
  const share = (part: number, whole: number): string =>
    whole === 0 ? '100 %' : `${Math.floor((part / whole) * 100)} %`;
  cli.output.line(
    `Arriving: ${share(events.arriving, events.total)} of events (${number(events.arriving)} of ${number(events.total)}), ${share(counted.arriving, counted.total)} of tokens`,
  );
}
