import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { loadFixture } from '../../fixtures/load.ts';
import { runCli } from './run.ts';

/** What one run of the CLI gave. `json` is the one object of `--json`: on stdout, or that of an error on stderr. */
export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of any shape
  json: any;
}

/** A user's home in which the CLI runs in this process, without a terminal. For tests. */
export interface CliLab {
  home: string;
  run(...args: string[]): Promise<Ran>;
  /** as `run`, where stdout is no JSON although that was asked for */
  raw(...args: string[]): Promise<Omit<Ran, 'json'>>;
  /** as `run`, as on a terminal, with the typed lines on stdin */
  type(lines: string[], ...args: string[]): Promise<Ran>;
  env: Record<string, string | undefined>;
  /** where commands are typed; the home at first */
  cwd: string;
  /** width of the terminal */
  columns: number;
  /** told all that a run writes to stderr, as it is written */
  onStderr: ((text: string) => void) | undefined;
  close(): Promise<void>;
}

export async function cliLab(fixtures: string[] = []): Promise<CliLab> {
  const home = await mkdtemp(join(tmpdir(), 'cli-lab-'));
  for (const name of fixtures) await loadFixture('claude', name, home);
  const env: CliLab['env'] = { HOME: home, PATH: '/nowhere', TZ: 'UTC' };
  const go = async (args: string[], lines: string[] | null): Promise<Omit<Ran, 'json'>> => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const texts = [collect(stdout), collect(stderr)];
    stderr.on('data', (text: string) => lab.onStderr?.(text));
    if (lines !== null)
      for (const stream of [stdin, stdout, stderr]) Object.assign(stream, { isTTY: true, columns: lab.columns });
    if (lines === null) stdin.end();
    else answerQuestions(stderr, stdin, lines);
    const code = await runCli(args, { stdin, stdout, stderr, env, cwd: lab.cwd });
    const [out, err] = texts.map((text) => text());
    const [stdoutText = '', stderrText = ''] = [out, err];
    return { code, stdout: stdoutText, stderr: stderrText };
  };
  const withJson = (args: string[], ran: Omit<Ran, 'json'>): Ran => {
    const json = ran.stdout === '' ? ran.stderr.trimEnd().split('\n').at(-1) : ran.stdout;
    return { ...ran, json: args.includes('--json') ? JSON.parse(json!) : null };
  };
  const lab: CliLab = {
    home,
    env,
    cwd: home,
    columns: 100,
    onStderr: undefined,
    run: async (...args) => withJson(args, await go(args, null)),
    raw: (...args) => go(args, null),
    type: async (lines, ...args) => withJson(args, await go(args, lines)),
    close: () => rm(home, { recursive: true, force: true }),
  };
  return lab;
}

function collect(stream: PassThrough): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/** Types the next line whenever something was asked: each question ends in a space. */
function answerQuestions(asked: PassThrough, stdin: PassThrough, lines: string[]): void {
  const left = [...lines];
  asked.on('data', (chunk: string) => {
    if (/[:?\]] $/.test(chunk) && left.length > 0) stdin.write(`${left.shift()}\n`);
  });
}

/** A lab with a store in which one session of Claude Code was read, and that session's id. */
export async function readLab(fixture = 'tools'): Promise<{ lab: CliLab; id: string }> {
  const lab = await cliLab([fixture]);
  await lab.run('init', '--key-file');
  await lab.run('sources', 'enable', 'claude');
  return { lab, id: (await lab.run('list', '--json')).json.value.rows[0].id };
}
