import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { toAppError } from '../shared/errors.ts';
import { AGENTS } from '../shared/session.ts';
import { VERSION } from '../shared/version.ts';
import type { Cli } from './command.ts';
import type { CliIo } from './io.ts';
import { Output } from './output.ts';

/** What the shared options parse to. */
interface Shared {
  json?: boolean;
  home?: string;
  color?: boolean;
}

/** What an `<agent>` may be, for the help texts; whether it is one is judged where it is used. */
const NAMES = AGENTS.join(', ');

/** Heading of the options that all commands have; it comes last. */
const COMMON = 'Common to all commands:';

type Action = (cli: Cli, options: never, ...args: never[]) => Promise<number>;

/** Runs the CLI and resolves to its exit code: 0 done, 1 refused or failed, 2 bad arguments, 3 ambiguous, 4 corrupt. */
export async function runCli(argv: string[], io: CliIo): Promise<number> {
  let code = 0;
  const abort = new AbortController();
  const interrupt = (): void => abort.abort();
  process.once('SIGINT', interrupt);
  const program = build(io, (action) => async (...args: unknown[]) => {
    const command = args.at(-1) as Command;
    const options = command.opts<Shared>();
    const output = new Output(io, { json: options.json === true, color: options.color === false ? false : undefined });
    const cli: Cli = { io, output, home: options.home, signal: abort.signal };
    const run = (await action()) as (cli: Cli, ...rest: unknown[]) => Promise<number>;
    code = await run(cli, options, ...args.slice(0, -2)).catch((error: unknown) => output.fail(toAppError(error)));
  });
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    return usageError(error, argv, io, program);
  } finally {
    process.off('SIGINT', interrupt);
  }
}

/** Commander's complaints; with `--json` they too are one object on stdout. */
function usageError(error: unknown, argv: string[], io: CliIo, program: Command): number {
  const output = new Output(io, { json: argv.includes('--json') });
  if (!(error instanceof CommanderError)) return output.fail(toAppError(error));
  if (error.exitCode === 0) return 0;
  const message = error.message
    .replace(/^error: /, '')
    .replace(/\n/g, ' ')
    .replace(/\.$/, '');
  return output.fail({ code: 'invalid_request', message: `${message}. See \`${nameOf(program, argv)} --help\`.` });
}

/** The command that was meant, as it is typed: `sessionctl sources enable`. */
function nameOf(program: Command, argv: string[]): string {
  let command = program;
  const names = [program.name()];
  for (const word of argv) {
    const next = command.commands.find((candidate) => candidate.name() === word);
    if (!next) break;
    command = next;
    names.push(word);
  }
  return names.join(' ');
}

type Wrap = (action: () => Promise<Action>) => (...args: unknown[]) => Promise<void>;

function build(io: CliIo, wrap: Wrap): Command {
  const program = new Command('sessionctl')
    .description('Your coding-agent sessions: read them, keep them, and continue them in another agent.')
    .version(VERSION, '-V, --version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: () => {},
      getOutHelpWidth: () => io.stdout.columns ?? 100,
    })
    .configureHelp({
      groupItems(_all, visible, groupOf) {
        const groups = new Map<string, typeof visible>();
        const lastOnes = visible.filter((item) => groupOf(item) === COMMON);
        for (const item of [...visible.filter((each) => !lastOnes.includes(each)), ...lastOnes])
          groups.set(groupOf(item), [...(groups.get(groupOf(item)) ?? []), item]);
        return groups;
      },
    })
    .helpCommand(false)
    .addHelpText(
      'after',
      `
A first handoff:
  sessionctl init
  sessionctl sources enable claude
  sessionctl list
  sessionctl handoff <session> --to codex --dry-run
  sessionctl handoff <session> --to codex

Agents: ${NAMES}
`,
    );

  /** A subcommand with the options that all have. */
  const add: Add = (parent, usage, summary, action, options = {}) =>
    parent
      .command(usage, options)
      .summary(summary)
      .description(summary)
      .optionsGroup(COMMON)
      .option('--json', 'print one JSON object')
      .option('--home <dir>', "sessionctl's own folder (default: $SESSIONCTL_HOME or ~/.sessionctl)")
      .option('--no-color', 'no colours')
      .optionsGroup('Options:')
      .action(wrap(action));

  addStore(program, add);
  addReading(program, add);
  addMoving(program, add);
  addCare(program, add);
  return program;
}

type Add = (
  parent: Command,
  usage: string,
  summary: string,
  action: () => Promise<Action>,
  options?: { isDefault?: boolean },
) => Command;

function addStore(program: Command, add: Add): void {
  add(
    program,
    'init',
    'Make the encrypted store, or recover its key',
    async () => (await import('./commands/init.ts')).init,
  )
    .option('--passphrase', 'lock the key by a passphrase: asked for, or from $SESSIONCTL_PASSPHRASE')
    .option('--key-file [path]', 'keep the key in a file that only you can read (weaker)')
    .option('--recover', 'bring back a lost key: the recovery key is asked for, or read from standard input');
  add(
    program,
    'status',
    'What is here: sessions of this folder, agents, store',
    async () => (await import('./commands/status.ts')).status,
  );
  const sources = program.command('sources').description('Which agents may be read').exitOverride();
  add(
    sources,
    'list',
    'Show the sources with their counts',
    async () => (await import('./commands/sources.ts')).listSources,
    { isDefault: true },
  );
  add(
    sources,
    'enable <agents...>',
    `Allow agents to be read: ${NAMES}, or all`,
    async () => (await import('./commands/sources.ts')).enableSources,
  );
  add(
    sources,
    'disable <agents...>',
    'Read agents no longer; what was read stays',
    async () => (await import('./commands/sources.ts')).disableSources,
  );
  add(
    program,
    'import',
    'Read new and changed sessions into the store',
    async () => (await import('./commands/import.ts')).importSessions,
  )
    .option('--agent <agent>', `only this agent: ${NAMES}`)
    .option('--path <path>', 'a session file or folder anywhere; or a bundle made by export --bundle');
}

function addReading(program: Command, add: Add): void {
  add(
    program,
    'list [words...]',
    'List sessions, newest first; words search titles, prompts and paths',
    async () => (await import('./commands/list.ts')).list,
  )
    .option('--agent <agent>', `only this agent: ${NAMES}`)
    .option('--cwd <dir>', 'only sessions of this folder')
    .addOption(
      new Option('--has <what...>', 'only sessions that have it').choices([
        'error',
        'secret',
        'image',
        'subagent',
        'warning',
      ]),
    )
    .option('--after <date>', 'active since then (ISO date)', date)
    .option('--before <date>', 'active before then (ISO date)', date)
    .option('--all', 'sub-agents and empty sessions too')
    .addOption(new Option('--sort <order>', 'order').choices(['recent', 'oldest', 'title', 'size']).default('recent'))
    .option('--limit <n>', 'at most so many (default: 30; all with --json)', whole)
    .option('--no-scan', 'do not look for new sessions first');
  add(program, 'show <session>', 'Show a session', async () => (await import('./commands/show.ts')).show)
    .option('--events', 'its events instead of the conversation')
    .option('--seq <n>', 'one event', whole);
  add(
    program,
    'compile <session>',
    'Compile what an agent needs to go on, within a budget',
    async () => (await import('./commands/compile.ts')).compile,
  )
    .requiredOption('--for <agent>', `the agent that will read it: ${NAMES}`)
    .option('--budget <tokens>', 'at most so many tokens', positive)
    .option('--max-chars <n>', 'at most so many characters too', positive)
    .option('--out <file>', 'write it to a file');
}

function addMoving(program: Command, add: Add): void {
  add(
    program,
    'handoff [session]',
    'Continue a session in another agent',
    async () => (await import('./commands/handoff.ts')).handoff,
  )
    .option('--to <agent>', `the agent that goes on: ${NAMES}`)
    .option('--note <text>', 'a note for it')
    .addOption(new Option('--mode <mode>', 'what is carried').choices(['native', 'native-tail', 'context']))
    .option('--turns <n>', 'native-tail: so many of the last turns', positive)
    .option('--cwd <dir>', "the new session's folder (default: that of the session)")
    .option('--operation <id>', 'any id; the same again never writes a second session')
    .option('--dry-run', 'say what would be carried and lost; nothing is written')
    .option('--undo', 'take a handoff back (with --operation instead of a session)')
    .option('--no-scan', 'do not look for new sessions first');
  add(
    program,
    'export <session>',
    'Write a session to a folder: for an agent, or as a signed bundle',
    async () => (await import('./commands/export.ts')).exportSession,
  )
    .option('--agent <agent>', `in this agent's own format: ${NAMES}`)
    .option('--bundle', 'as a bundle that anyone can verify')
    .option('--cwd <dir>', 'with --agent: the folder that the session has there (default: that of the session)')
    .option('--allow-secrets', 'export a bundle even though something in it looks like a secret')
    .requiredOption('--out <path>', 'a folder, or a .tar or .tar.zst file for a bundle');
  add(
    program,
    'resume <session>',
    "Print the agent's own command that goes on with a session",
    async () => (await import('./commands/resume.ts')).resume,
  ).option('--run', 'run it');
}

function addCare(program: Command, add: Add): void {
  add(
    program,
    'receipts [session]',
    'List what was done, newest first',
    async () => (await import('./commands/receipts.ts')).receipts,
  ).option('--limit <n>', 'at most so many', positive, 50);
  add(
    program,
    'verify [what]',
    'Check a session, a receipt, a bundle, or the whole store',
    async () => (await import('./commands/verify.ts')).verify,
  ).option('--key <key>', 'public key of the signer (base64), from outside of a bundle');
  add(
    program,
    'doctor',
    'Check the installation, and whether the agents can still be read',
    async () => (await import('./commands/doctor.ts')).doctor,
  );
  add(
    program,
    'serve',
    'Serve the app on 127.0.0.1 and print its address',
    async () => (await import('./commands/serve.ts')).serve,
  ).option('--port <n>', 'a port (default: a free one)', whole);
}

function whole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a whole number.');
}

function positive(text: string): number {
  const value = whole(text);
  if (value > 0) return value;
  throw new InvalidArgumentError('Give a number above 0.');
}

/** Seconds since the epoch of an ISO date or time. */
function date(text: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(ms)) return ms / 1000;
  throw new InvalidArgumentError('Give a date such as 2026-11-29 or 2026-11-29T14:00.');
}
