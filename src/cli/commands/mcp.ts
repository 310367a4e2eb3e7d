import type { Engine } from '../../engine/engine.ts';
import { serveMcp } from '../../mcp/server.ts';
import type { Run } from '../command.ts';
import { engineFor } from '../engine-host.ts';

/**
 * `sessionctl mcp`: serves one agent over stdin and stdout until it goes away. A store that cannot be opened is told by the
 * tools, so that the agent can say what to do; nobody is asked for a passphrase here.
 */
export const mcp: Run<{ session?: string }> = async (cli, options) => {
  const { io, output, signal } = cli;
  if (io.stdin.isTTY === true)
    output.note(
      'This speaks the Model Context Protocol and is started by an agent. To set it up: sessionctl mcp install',
    );
  let engine: Engine | null = null;
  const open = async (actor: string): Promise<Engine> => {
    engine = await engineFor(cli, { host: 'cli', actor });
    return engine;
  };
  try {
    await serveMcp(open, io, {
      session: options.session ?? io.env.SESSIONCTL_SESSION,
      signal,
      report: (text) => output.note(`sessionctl mcp: ${text}`),
    });
    return 0;
  } finally {
    await (engine as Engine | null)?.close();
  }
};
