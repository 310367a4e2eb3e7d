import { type Run, withEngine } from '../command.ts';

/** `sessionctl serve`: the app for a browser on this machine, or over an SSH tunnel. Runs until it is stopped. */
export const serve: Run<{ port?: number }> = (cli, options) =>
  withEngine(cli, async (engine) => {
    const { startWeb } = await import('../../main/web/server.ts');
    const host = await startWeb(engine, options.port === undefined ? {} : { port: options.port });
    cli.output.end(host, ({ url }) => {
      cli.output.line(`Open this address; it works once:\n${url}`);
      cli.output.note('Ctrl-C stops it. From another machine: ssh -L <port>:127.0.0.1:<port> …');
    });
    if (!host.ok) return 1;
    await new Promise((resolve) => cli.signal.addEventListener('abort', resolve, { once: true }));
    await host.value.close();
    return 0;
  });
