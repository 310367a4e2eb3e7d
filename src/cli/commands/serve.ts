import type { Engine } from '../../engine/engine.ts';
import { ok } from '../../shared/errors.ts';
import { type Cli, type Run, withEngine } from '../command.ts';

/** `sessionctl serve`: the app for a browser on this machine, or over an SSH tunnel. Runs until it is stopped. */
export const serve: Run<{ port?: number }> = (cli, options) =>
  withEngine(cli, (engine) => serveUntilStopped(cli, engine, options.port), { host: 'web', watch: true });

async function serveUntilStopped(cli: Cli, engine: Engine, wanted?: number): Promise<number> {
  const { startWeb } = await import('../../main/web/server.ts');
  const host = await startWeb(engine, wanted === undefined ? {} : { port: wanted });
  if (!host.ok) return cli.output.fail(host.error);
  const { url, port } = host.value;
  cli.output.end(ok({ url, port }), () => {
    cli.output.line(`Open this address; it works once:\n${url}`);
    cli.output.note(`Ctrl-C stops it. From another machine: ssh -L ${port}:127.0.0.1:${port} <this machine>`);
  });
  await new Promise((resolve) => cli.signal.addEventListener('abort', resolve, { once: true }));
  await host.value.close();
  return 0;
}
