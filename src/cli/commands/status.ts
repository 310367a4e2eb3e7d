import type { Engine } from '../../engine/engine.ts';
import type { AppInfo } from '../../shared/api.ts';
import { ok, type Result } from '../../shared/errors.ts';
import { type Cli, type Run, withEngine } from '../command.ts';
import { userHome } from '../engine-host.ts';
import { bytes, number, plural, tilde, time } from '../format.ts';

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

/** `sessionctl status`: the sessions of this folder by agent, and the store. */
export const status: Run<object> = (cli) =>
  withEngine(cli, async (engine) => {
    const info = await engine.call('app.info', {});
    if (!info.ok) return cli.output.fail(info.error);
    const here = await agentsHere(cli, engine, info.value);
    if (!here.ok) return cli.output.fail(here.error);
    const { home, initialised, keys, sessions, events, store_bytes } = info.value;
    const value = {
      home,
      initialised,
      keys,
      sessions,
      events,
      store_bytes,
      project: { cwd: cli.io.cwd, agents: here.value },
    };
    return cli.output.end(ok(value), () => tell(cli, info.value, here.value));
  });

async function agentsHere(cli: Cli, engine: Engine, info: AppInfo): Promise<Result<AgentHere[]>> {
  const sources = await engine.call('sources.list', {});
  if (!sources.ok) return sources;
  const rows: AgentHere[] = [];
  for (const { id, label, installed, version } of info.agents) {
    const enabled = sources.value.some((source) => source.agent === id && source.enabled);
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

function tell(cli: Cli, info: AppInfo, agents: AgentHere[]): void {
  const { output } = cli;
  output.line(`Sessions of ${tilde(cli.io.cwd, userHome(cli.io))}`);
  output.table(agents, [
    { head: 'AGENT', cell: (row) => row.label },
    { head: 'INSTALLED', cell: (row) => (row.installed ? (row.version ?? 'yes') : 'no') },
    { head: 'READ', cell: (row) => (row.enabled ? 'yes' : 'no') },
    { head: 'HERE', cell: (row) => number(row.sessions), align: 'right' },
    {
      head: 'LAST',
      cell: (row) => (row.last ? `${time(row.last.last_activity)}  ${row.last.title ?? ''}` : '–'),
      grows: true,
    },
  ]);
  output.line();
  if (!info.initialised) {
    output.line('There is no store yet. Make one: sessionctl init');
    return;
  }
  output.line(
    `Store: ${plural(info.sessions, 'session')}, ${plural(info.events, 'event')}, ${bytes(info.store_bytes)} in ${info.home}`,
  );
  output.line(info.keys.text);
}
