import { once } from 'node:events';
import process from 'node:process';
import { PassThrough } from 'node:stream';
import { openEngine } from '../../engine/engine.ts';
import { unwrap } from '../../shared/errors.ts';
import { VERSION } from '../../shared/version.ts';
import { runCli } from '../run.ts';

/**
 * A process that reads all that there is in $HOME, by every command that reads, and then follows it. Says each change that
 * it sees as a line of JSON, `following` before; ends with the end of its input.
 */
const { env } = process;
const cwd = env.SESSIONCTL_HOME!;

async function command(...args: string[]): Promise<string> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  let out = '';
  stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  stderr.resume();
  const code = await runCli([...args, '--json'], { stdin, stdout, stderr, env, cwd });
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${out}`);
  return out;
}

await command('init', '--key-file');
await command('sources', 'enable', 'all');
await command('import');
const { rows } = JSON.parse(await command('list', '--all')).value as { rows: { id: string; agent: string }[] };
for (const { id } of new Map(rows.map((row) => [row.agent, row])).values()) {
  await command('show', id);
  await command('show', id, '--events');
}
await command('import');
await command('doctor');

const engine = openEngine({ home: cwd, agents: { home: env.HOME!, env }, host: 'cli', version: VERSION, watch: true });
engine.subscribe((event) => process.stdout.write(`${JSON.stringify(event)}\n`));
unwrap(await engine.call('sources.list', {}));
process.stdout.write('following\n');
process.stdin.resume();
await once(process.stdin, 'end');
await engine.close();
