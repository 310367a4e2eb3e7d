import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { safeLine } from '../../core/safe-text.ts';
import type { Engine } from '../../engine/engine.ts';
import { fail } from '../../shared/errors.ts';
import type { FidelityReport, HandoffInput, HandoffPlan, HandoffResult } from '../../shared/handoff.ts';
import { type Cli, type Run, withEngine } from '../command.ts';
import { number, tokens } from '../format.ts';
import { handleOf } from '../handle.ts';
import { scan } from '../scan.ts';

interface Options {
  to?: string;
  note?: string;
  mode?: HandoffInput['mode'];
  turns?: number;
  cwd?: string;
  operation?: string;
  dryRun?: boolean;
  undo?: boolean;
  scan: boolean;
}

/** `sessionctl handoff`: writes the session for another agent and prints the command that goes on. */
export const handoff: Run<Options, [string | undefined]> = (cli, options, session) =>
  withEngine(cli, async (engine) => {
    const { output } = cli;
    if (options.undo) return undo(cli, engine, options.operation);
    if (session === undefined || options.to === undefined) {
      return output.fail(
        fail('invalid_request', 'Name the session and the agent: sessionctl handoff <session> --to <agent>.').error,
      );
    }
    const input = inputOf(cli, options, handleOf(cli, session), options.to);
    if (options.scan) await lookForIt(cli, engine, input.session);
    return options.dryRun
      ? preview(cli, engine, input)
      : execute(cli, engine, input, options.operation ?? `cli-${randomUUID()}`);
  });

function inputOf(cli: Cli, { note, mode, turns, cwd }: Options, session: string, to: string): HandoffInput {
  return {
    session,
    to,
    ...(note === undefined ? {} : { note }),
    ...(mode === undefined ? {} : { mode }),
    ...(turns === undefined ? {} : { turns }),
    ...(cwd === undefined ? {} : { cwd: resolve(cli.io.cwd, cwd) }),
  };
}

/** A session that is not known yet may just not have been read; one that is known is read up to date by the handoff. */
async function lookForIt(cli: Cli, engine: Engine, session: string): Promise<void> {
  const found = await engine.call('sessions.get', { id: session });
  if (!found.ok && found.error.code === 'not_found') await scan(cli, engine);
}

async function undo(cli: Cli, engine: Engine, operation: string | undefined): Promise<number> {
  const { output } = cli;
  if (operation === undefined)
    return output.fail(fail('invalid_request', 'Name the handoff to take back: --undo --operation <id>.').error);
  return output.end(await engine.call('handoff.undo', { operation_id: operation }), ({ removed, left }) => {
    output.line(removed.length > 0 ? 'Taken back. Removed:' : 'Taken back before; nothing was left to remove.');
    for (const text of removed) output.line(`  ${safeLine(text)}`);
    if (left.length > 0) output.line('Left, since it could not be removed:');
    for (const text of left) output.line(`  ${safeLine(text)}`);
  });
}

async function preview(cli: Cli, engine: Engine, input: HandoffInput): Promise<number> {
  return cli.output.end(await engine.call('handoff.preflight', input), (plan) => showPlan(cli, plan));
}

async function execute(cli: Cli, engine: Engine, input: HandoffInput, operation: string): Promise<number> {
  const { output } = cli;
  const unsubscribe = engine.subscribe((event) => {
    if (event.topic === 'handoff' && event.progress.state === 'running') output.progress(event.progress.text);
  });
  const result = await engine.call('handoff.execute', { ...input, operation_id: operation }, cli.signal);
  unsubscribe();
  if (!result.ok && !output.json) {
    const code = output.fail(result.error);
    if (result.error.code === 'window_exceeded')
      output.note('  See what fits: add --dry-run. Or: --mode native-tail, --mode context');
    return code;
  }
  return output.end(result, (value) => showResult(cli, value));
}

function showPlan(cli: Cli, plan: HandoffPlan): void {
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
    const turns = mode.turns === undefined ? '' : `, last ${number(mode.turns)} turns`;
    const chosen = mode.mode === plan.mode ? '›' : ' ';
    const size = mode.tokens > 0 ? `${tokens(mode.tokens)} tokens` : '';
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

function showResult(cli: Cli, result: HandoffResult): void {
  const { output } = cli;
  output.line(
    result.replayed
      ? 'This handoff was done before; nothing was written now.'
      : 'Done. The source session is untouched.',
  );
  for (const file of result.files) output.line(`  ${safeLine(file)}`);
  for (const warning of result.warnings)
    output.note(`${output.style('yellow', warning.about, 'stderr')}: ${safeLine(warning.detail)}`);
  const { cwd } = result.command;
  if (cwd !== null && !existsSync(cwd))
    output.note(
      `${output.style('yellow', 'cwd', 'stderr')}: ${safeLine(cwd)} is not on this machine. Make it first, or hand off again with --cwd <dir>.`,
    );
  const { events } = result.fidelity;
  output.line(`Carried: ${number(events.arriving)} of ${number(events.total)} events. Receipt ${result.receipt}`);
  output.line();
  output.line('Go on:');
  output.line(`  ${output.style('bold', safeLine(result.command.text))}`);
  output.line(output.style('dim', `Take it back: sessionctl handoff --undo --operation ${result.operation_id}`));
}
