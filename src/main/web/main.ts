import { AppFailure } from '../../shared/errors.ts';
import { openHost } from '../host.ts';
import { startWeb } from './server.ts';

/** Entry of the web host: prints the address with its one-time token and serves until it is told to stop. */
async function main(argv: readonly string[]): Promise<number> {
  const port = portOf(argv);
  if (port === null) return say('--port needs a number from 0 to 65535.', 2);
  const sample = argv.includes('--sample');
  const host = await openHost({ host: 'web', sample });
  const web = await startWeb(host.served, { port });
  if (!web.ok) {
    await host.close();
    return say(web.error.message, 1);
  }
  process.stdout.write(
    `${sample ? 'Sample data in a temporary home; your own files are not looked at.\n' : ''}Open once: ${web.value.url}\n`,
  );
  await untilTold();
  await web.value.close();
  await host.close();
  return 0;
}

function portOf(argv: readonly string[]): number | null {
  const at = argv.indexOf('--port');
  if (at < 0) return 0;
  const port = Number(argv[at + 1]);
  return Number.isInteger(port) && port >= 0 && port <= 65535 ? port : null;
}

function untilTold(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

function say(text: string, code: number): number {
  process.stderr.write(`sessionctl: ${text}\n`);
  return code;
}

process.exitCode = await main(process.argv.slice(2)).catch((thrown: unknown) => {
  if (!(thrown instanceof AppFailure)) throw thrown;
  return say(thrown.error.message, 1);
});
