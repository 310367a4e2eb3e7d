import { safeLine } from '../../core/safe-text.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Candidate } from '../../engine/procedures/context.ts';
import type { AppInfo } from '../../shared/api.ts';
import { type ErrorCode, fail, ok, type Result } from '../../shared/errors.ts';
import type { HandoffInput } from '../../shared/handoff.ts';
import type { SessionRow } from '../../shared/session.ts';
import { chooseRow, chosen, confirm, mayAsk } from '../choose.ts';
import type { Cli } from '../command.ts';
import { userHome } from '../engine-host.ts';
import { number, pathEnd, tilde, time, tokens } from '../format.ts';
import { showPlan } from './handoff-plan.ts';
import { titleOf } from './list.ts';

/** Sessions that are offered to choose from. */
const OFFERED = 20;

/** `chosen`: a person chose it now. */
interface Meant {
  id: string;
  chosen: boolean;
}

/** The session that is meant: the one that was named, or the one that a person chooses of those that it can be. */
export async function sessionMeant(cli: Cli, engine: Engine, named: string | undefined): Promise<Result<Meant>> {
  if (named === undefined) return anySession(cli, engine);
  const found = await engine.call('sessions.get', { id: named });
  if (found.ok) return ok({ id: found.value.id, chosen: false });
  const candidates = found.error.details?.candidates as Candidate[] | undefined;
  if (found.error.code !== 'selection_required' || candidates === undefined || !mayAsk(cli)) return found;
  cli.output.note(found.error.message);
  return choose(cli, candidates);
}

/** None was named: those of this folder are offered, else those of all. */
async function anySession(cli: Cli, engine: Engine): Promise<Result<Meant>> {
  const here = await engine.call('sessions.list', { cwd: cli.io.cwd, limit: OFFERED });
  const found = here.ok && here.value.total === 0 ? await engine.call('sessions.list', { limit: OFFERED }) : here;
  if (!found.ok) return found;
  if (found.value.total === 0)
    return fail('not_found', 'There are no sessions yet. `sessionctl status` says what to do first.');
  const { rows, total } = found.value;
  const more = `These are the newest ${rows.length} of ${number(total)}; others are named by their id (sessionctl list).`;
  if (total > rows.length && mayAsk(cli)) cli.output.note(more);
  return choose(cli, rows.map(candidateOf));
}

function candidateOf(row: SessionRow): Candidate {
  const { id, agent, native_id, cwd, source, last_activity } = row;
  return { id, agent, native_id, title: titleOf(row), cwd, source, last_activity };
}

async function choose(cli: Cli, rows: readonly Candidate[]): Promise<Result<Meant>> {
  const home = userHome(cli.io);
  const one = await chosen(cli, {
    what: 'Which session',
    how: 'Name the session: sessionctl handoff <session> --to <agent>.',
    rows,
    columns: [
      { head: 'AGENT', cell: (row) => row.agent },
      { head: 'ACTIVE', cell: (row) => time(row.last_activity), optional: true },
      { head: 'TITLE', cell: (row) => row.title ?? row.id, grows: true },
      {
        head: 'FOLDER',
        cell: (row) => (row.cwd === null ? '–' : pathEnd(tilde(row.cwd, home), 28)),
        optional: true,
      },
    ],
  });
  return one.ok ? ok({ id: one.value.id, chosen: true }) : one;
}

/** The agent that goes on: the one that was named, or the one that a person chooses of those that are installed. */
export async function agentMeant(cli: Cli, engine: Engine, named: string | undefined): Promise<Result<string>> {
  if (named !== undefined) return ok(named);
  const info = await engine.call('app.info', {});
  if (!info.ok) return info;
  const able = info.value.agents.filter((agent) => agent.can_receive);
  const installed = able.filter((agent) => agent.installed);
  const rows = (installed.length > 0 ? installed : able).map(offer);
  const one = await chosen(cli, {
    what: 'Who goes on',
    how: 'Name the agent that goes on: --to <agent>.',
    rows,
    columns: [
      { head: 'AGENT', cell: (row) => row.agent },
      { head: 'NAME', cell: (row) => row.label },
      { head: 'VERSION', cell: (row) => (row.installed ? (row.version ?? 'unknown') : 'not installed') },
    ],
  });
  return one.ok ? ok(one.value.agent) : one;
}

const offer = ({ id, label, installed, version }: AppInfo['agents'][number]) => ({
  agent: id,
  label,
  installed,
  version,
});

/** Shows the plan and asks for a yes. Over the window, which of the ways that fit is asked too. */
export async function agree(cli: Cli, engine: Engine, input: HandoffInput): Promise<Result<HandoffInput>> {
  const plan = await engine.call('handoff.preflight', input);
  if (!plan.ok) return plan;
  showPlan(cli, plan.value);
  const fitting = plan.value.modes.filter((one) => one.possible && one.mode !== plan.value.mode);
  if (plan.value.refused?.code === 'window_exceeded' && fitting.length > 0) {
    const { mode, turns } = await chooseRow(cli, 'Which way', fitting, [
      { head: 'MODE', cell: (row) => row.mode },
      { head: 'TURNS', cell: (row) => (row.turns === undefined ? 'all' : `last ${number(row.turns)}`) },
      { head: 'TOKENS', cell: (row) => tokens(row.tokens), align: 'right' },
    ]);
    return agree(cli, engine, { ...input, mode, ...(turns === undefined ? {} : { turns }) });
  }
  const { refused } = plan.value;
  if (refused) return fail(refused.code as ErrorCode, refused.message);
  if (await confirm(cli, `Continue in ${safeLine(plan.value.target.label)}?`)) return ok(input);
  return fail('cancelled', 'Nothing was written.');
}
