import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { adapterOf } from '../../../adapters/registry.ts';
import { type Installed, install } from '../../mcp/install/install.ts';
import type { Cli, Run } from '../command.ts';
import { homeOf, userHome } from '../engine-host.ts';

interface Options {
  agent: string;
  dryRun?: boolean;
  undo?: boolean;
}

/** `sessionctl mcp install`: puts the server into an agent's own configuration, or takes it out. */
export const mcpInstall: Run<Options> = async (cli, { agent, dryRun = false, undo = false }) => {
  const { io, output } = cli;
  const home = userHome(io);
  // it alone has versions that differ in what they can be given, and asking starts the agent's program
  const installed = agent === 'pi' ? await adapterOf('pi')?.installed({ home, env: io.env }) : null;
  const done = await install({
    agent,
    start: { program: programPath(import.meta.dirname), args: ['mcp', ...homeArgs(cli)] },
    around: { home, env: io.env, version: installed?.version ?? null },
    undo,
    dryRun,
  });
  return output.end(done, (value) => show(cli, value));
};

/** The store is named when it is not where it is by default: an agent may not pass the variable on. */
function homeArgs(cli: Cli): string[] {
  return cli.home === undefined && !cli.io.env.SESSIONCTL_HOME ? [] : ['--home', homeOf(cli.io, cli)];
}

/** The program's own file `bin/sessionctl`, wherever this code runs from (sources, or built into one folder). */
function programPath(from: string): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const program = join(folder, 'bin', 'sessionctl');
    if (existsSync(program)) return program;
  }
  return 'sessionctl';
}

const SAID: Record<Installed['action'], string> = {
  add: 'adds',
  update: 'replaces',
  remove: 'takes out',
  none: 'leaves as it is',
};

function show({ output }: Cli, { file, at, action, text, written, next }: Installed): void {
  output.line(file);
  output.line(`  ${SAID[action]} ${at === '' ? 'the file' : at}${action === 'none' ? '' : ':'}`);
  if (action === 'add' || action === 'update')
    for (const line of text.trimEnd().split('\n')) output.line(`  ${output.style('green', `+ ${line}`)}`);
  if (action === 'none') return;
  output.note(
    written ? (action === 'remove' ? 'Taken out. All else is as it was.' : next) : 'Nothing was written (--dry-run).',
  );
}
