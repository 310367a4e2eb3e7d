import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { safeLine } from '../../core/safe-text.ts';
import type { Engine } from '../../engine/engine.ts';
import { fail, ok } from '../../shared/errors.ts';
import type { HandoffInput, HandoffResult } from '../../shared/handoff.ts';
import { mayAsk } from '../choose.ts';
import { type Cli, type Run, withEngine } from '../command.ts';
import { number, plural } from '../format.ts';
import { handleOf } from '../handle.ts';
import { readNew } from '../read-new.ts';
import { scan } from '../scan.ts';
import { agentMeant, agree, sessionMeant } from './handoff-choice.ts';
import { showPlan } from './handoff-plan.ts';

interface Options {
  to?: string;
  note?: string;
  mode?: HandoffInput['mode'];
  turns?: number;
  since?: string;
  cwd?: string;
  operation?: string;
  dryRun?: boolean;
  yes?: boolean;
  undo?: boolean;
  scan: boolean;
}

/** `sessionctl handoff`: writes the session for another agent and prints the command that goes on. */
export const handoff: Run<Options, [string | undefined]> = (cli, options, session) =>
  withEngine(cli, async (engine) => {
    const { output } = cli;
    if (options.undo) return undo(cli, engine, options.operation);
    const named = session === undefined ? undefined : handleOf(cli, session);
    if (options.scan) await lookForIt(cli, engine, named);
    const meant = await sessionMeant(cli, engine, named);
    if (!meant.ok) return output.fail(meant.error);
    const to = await agentMeant(cli, engine, options.to);
    if (!to.ok) return output.fail(to.error);
    const input = inputOf(cli, options, meant.value.id, to.value);
    if (options.dryRun) return preview(cli, engine, input);
    // who had to choose sees what it comes to before it is done
    const chose = meant.value.chosen || options.to === undefined;
    const agreed = chose && mayAsk(cli) && !options.yes ? await agree(cli, engine, input) : ok(input);
    if (!agreed.ok) return output.fail(agreed.error);
    return execute(cli, engine, agreed.value, options.operation ?? `cli-${randomUUID()}`);
  });

function inputOf(cli: Cli, { note, mode, turns, since, cwd }: Options, session: string, to: string): HandoffInput {
  return {
    session,
    to,
    ...(note === undefined ? {} : { note }),
    ...(mode === undefined ? {} : { mode }),
    ...(turns === undefined ? {} : { turns }),
    ...(since === undefined ? {} : { since: handleOf(cli, since) }),
    ...(cwd === undefined ? {} : { cwd: resolve(cli.io.cwd, cwd) }),
  };
}

/** A session that is not known yet may just not have been read; in one that is known may be more than was read of it. */
async function lookForIt(cli: Cli, engine: Engine, session: string | undefined): Promise<void> {
  const found = session === undefined ? undefined : await engine.call('sessions.get', { id: session });
  if (found === undefined || (!found.ok && found.error.code === 'not_found')) await scan(cli, engine);
  else if (session !== undefined) await readNew(cli, engine, session);
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
  await warnOfFolder(cli, engine, input);
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

/** Said before anything is written: the agent that goes on cannot be started in a folder that is not here. */
async function warnOfFolder({ output }: Cli, engine: Engine, { session, cwd }: HandoffInput): Promise<void> {
  const row = cwd === undefined ? await engine.call('sessions.get', { id: session }) : null;
  const folder = cwd ?? (row?.ok ? row.value.cwd : null);
  if (folder !== null && !existsSync(folder))
    output.note(`${output.style('yellow', 'cwd', 'stderr')}: ${safeLine(folder)} is not on this machine.`);
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
  const { fidelity, compiled, receipt } = result;
  const { arriving, total } = fidelity.events;
  const page = compiled ? ` as they are, with a compiled context of ${number(compiled.tokens)} tokens` : '';
  output.line(`Carried: ${number(arriving)} of ${plural(total, 'event')}${page}. Receipt ${receipt}`);
  output.line();
  output.line('Go on:');
  output.line(`  ${output.style('bold', safeLine(result.command.text))}`);
  output.line(
    output.style(
      'dim',
      `Take it back: ${output.typed(`sessionctl handoff --undo --operation ${result.operation_id}`)}`,
    ),
  );
}
