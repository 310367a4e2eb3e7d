import type { Engine } from '../../engine/engine.ts';
import type { AppInfo, SourceInfo } from '../../shared/api.ts';
import { ok, type Result } from '../../shared/errors.ts';
import { type Cli, type Run, withEngine } from '../command.ts';
import { userHome } from '../engine-host.ts';
import { bytes, number, plural, tilde, time } from '../format.ts';
import { nextSteps, type Step } from '../next-steps.ts';

/** Sessions of one agent in the folder where the command runs. */
interface AgentHere {
  agent: string;
  label: string;
  installed: boolean;
  version: string | null;
  enabled: boolean;
  sessions: number;
  last: { id: string; title: string | null; last_activity: number | null } | null;
}

/** `sessionctl status`, and `sessionctl` alone on a terminal: the sessions of this folder by agent, the store, what to do next. */
export const status: Run<object> = (cli) =>
  withEngine(cli, async (engine) => {
    const info = await engine.call('app.info', {});
    if (!info.ok) return cli.output.fail(info.error);
    const sources = await engine.call('sources.list', {});
    if (!sources.ok) return cli.output.fail(sources.error);
    const here = await agentsHere(cli, engine, info.value, sources.value);
    if (!here.ok) return cli.output.fail(here.error);
    const { home, initialised, keys, sessions, events, store_bytes, agents } = info.value;
    const next = nextSteps({ initialised, sessions, agents, sources: sources.value, newest: newestOf(here.value) });
    const project = { cwd: cli.io.cwd, agents: here.value };
    const value = { home, initialised, keys, sessions, events, store_bytes, project, next };
    return cli.output.end(ok(value), () => tell(cli, info.value, here.value, next));
  });

async function agentsHere(
  cli: Cli,
  engine: Engine,
  info: AppInfo,
  sources: readonly SourceInfo[],
): Promise<Result<AgentHere[]>> {
  const rows: AgentHere[] = [];
  for (const { id, label, installed, version } of info.agents) {
    const enabled = sources.some((source) => source.agent === id && source.enabled);
    const found = info.initialised
      ? await engine.call('sessions.list', { agent: id, cwd: cli.io.cwd, limit: 1 })
      : null;
    if (found && !found.ok) return found;
    const row = found?.value.rows[0];
    const last = row ? { id: row.id, title: row.title, last_activity: row.last_activity } : null;
    rows.push({ agent: id, label, installed, version, enabled, sessions: found?.value.total ?? 0, last });
  }
  return ok(rows);
}

function newestOf(agents: readonly AgentHere[]): { id: string; agent: string } | null {
  const [newest] = agents
    .flatMap(({ agent, last }) => (last === null ? [] : [{ agent, ...last }]))
    .sort((a, b) => (b.last_activity ?? 0) - (a.last_activity ?? 0));
  return newest ?? null;
}

function tell(cli: Cli, info: AppInfo, agents: AgentHere[], next: Step[]): void {
  const { output } = cli;
  const folder = tilde(cli.io.cwd, userHome(cli.io));
  const known = agents.filter(({ installed, enabled, sessions }) => installed || enabled || sessions > 0);
  output.line(output.style('bold', `Agents in ${folder}`));
  if (known.length === 0) output.line('None is installed, and none may be read.');
  else
    output.table(known, [
      { head: 'AGENT', cell: (row) => row.label },
      { head: 'INSTALLED', cell: (row) => (row.installed ? (row.version ?? 'yes') : 'no'), optional: true },
      { head: 'READ', cell: (row) => (row.enabled ? 'yes' : 'no'), optional: true },
      { head: 'SESSIONS', cell: (row) => number(row.sessions), align: 'right' },
      {
        head: 'LAST',
        cell: (row) => (row.last ? `${time(row.last.last_activity)}  ${row.last.title ?? ''}` : '–'),
        grows: true,
      },
    ]);
  output.line();
  output.line(
    info.initialised
      ? `Store: ${plural(info.sessions, 'session')}, ${plural(info.events, 'event')}, ${bytes(info.store_bytes)} in ${info.home}`
      : `There is no store in ${info.home} yet.`,
  );
  if (info.initialised) output.line(info.keys.text);
  tellNext(cli, next);
}

function tellNext({ output }: Cli, steps: Step[]): void {
  const next = steps.map(({ command, why }) => ({ command: output.typed(command), why }));
  output.line();
  if (next.length === 0) {
    output.line('No agent has kept a session on this machine. Work with one, then come back.');
    return;
  }
  output.line('Next:');
  const longest = Math.max(...next.map(({ command }) => command.length));
  for (const { command, why } of next) output.line(`  ${command.padEnd(longest)}  ${output.style('dim', why)}`);
}
