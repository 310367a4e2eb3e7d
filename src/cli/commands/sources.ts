import type { SourceInfo } from '../../shared/api.ts';
import { foundText } from '../../shared/source-count.ts';
import { answer, type Cli, type Run, withEngine } from '../command.ts';
import { userHome } from '../engine-host.ts';
import { bytes, tilde } from '../format.ts';

/** `sessionctl sources list` */
export const listSources: Run<object> = (cli) =>
  answer(
    cli,
    (engine) => engine.call('sources.list', {}),
    (sources) => show(cli, sources),
  );

/** `sessionctl sources enable <agents...>` */
export const enableSources: Run<object, [string[]]> = (cli, _options, agents) => set(cli, agents, true);

/** `sessionctl sources disable <agents...>` */
export const disableSources: Run<object, [string[]]> = (cli, _options, agents) => set(cli, agents, false);

/** Sets them one by one; an unknown agent stops before anything is changed. */
function set(cli: Cli, agents: string[], enabled: boolean): Promise<number> {
  return withEngine(cli, async (engine) => {
    let last = await engine.call('sources.list', {});
    const sources = last.ok ? last.value : [];
    const known = new Set<string>(sources.map(({ agent }) => agent));
    const found = sources.filter(({ exists }) => exists || !enabled).map(({ agent }) => agent);
    const chosen = new Set<string>(agents.includes('all') ? found : agents);
    for (const agent of [...chosen].toSorted((a, b) => Number(known.has(a)) - Number(known.has(b)))) {
      last = await engine.call('sources.set', { agent, enabled });
      if (!last.ok) break;
    }
    return cli.output.end(last, (sources) => {
      show(cli, sources);
      if (enabled) cli.output.line(`\nNext: ${cli.output.typed('sessionctl list')}`);
    });
  });
}

function show(cli: Cli, sources: SourceInfo[]): void {
  const home = userHome(cli.io);
  cli.output.table(sources, [
    { head: 'AGENT', cell: (source) => source.agent },
    { head: 'READ', cell: (source) => (source.enabled ? 'yes' : 'no') },
    { head: 'FOUND', cell: (source) => (source.exists ? foundText([source]) : '–') },
    { head: 'SIZE', cell: (source) => (source.exists ? bytes(source.bytes) : '–'), align: 'right' },
    { head: 'FOLDER', cell: (source) => tilde(source.root, home) + (source.exists ? '' : ' (not there)'), grows: true },
  ]);
  for (const warning of sources.flatMap((source) => source.warnings))
    cli.output.note(`${warning.about}: ${warning.detail}`);
}
