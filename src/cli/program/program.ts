import { type Argument, Command } from 'commander';
import { VERSION } from '../../shared/version.ts';
import type { CliIo } from '../io.ts';
import { type Add, adder, COMMON, NAMES, type Wrap } from './add.ts';
import { addCare } from './care.ts';
import { examplesText } from './examples.ts';
import { addForks } from './forks.ts';
import { addMoving } from './moving.ts';
import { addReading } from './reading.ts';
import { addServing } from './serving.ts';
import { addShell } from './shell.ts';
import { addStore } from './store.ts';

const SHELL = 'In your shell:';

/** The groups of commands, in the order of the help. A new command goes into the file of its group. */
const GROUPS: readonly [heading: string, (program: Command, add: Add) => void][] = [
  ['Set up:', addStore],
  ['Look:', addReading],
  ['Go on elsewhere:', addMoving],
  ['Branch and mark:', addForks],
  ['Check:', addCare],
  ['Serve:', addServing],
  [SHELL, addShell],
];

/** The whole command line. `wrap` makes a command's code, loaded on demand, into an action. */
export function buildProgram(io: CliIo, wrap: Wrap): Command {
  const columns = (): number => io.stdout.columns || 100;
  const program = new Command('sessionctl')
    .description('Your coding-agent sessions: read them, keep them, and continue them in another agent.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: () => {},
      getOutHelpWidth: columns,
    })
    .configureHelp({ groupItems: commonLast, subcommandTerm, minWidthToWrap: 20 })
    .addHelpText('after', () => `${examplesText(FIRST_HANDOFF, columns())}\n\nAgents: ${NAMES}`);
  const add = adder(wrap, (examples) => examplesText(examples, columns()));
  for (const [heading, addGroup] of GROUPS) {
    program.commandsGroup(heading);
    addGroup(program, add);
  }
  const help = new Command('help').argument('[command]').summary('Show the help of a command').helpOption(false);
  program.addHelpCommand(help.helpGroup(SHELL));
  return program;
}

const FIRST_HANDOFF: readonly [string, string][] = [
  ['sessionctl init', 'make the store'],
  ['sessionctl sources enable claude', 'say whose sessions may be read'],
  ['sessionctl list', 'find a session'],
  ['sessionctl handoff <session> --to codex --dry-run', 'see what would be kept and lost'],
  ['sessionctl handoff <session> --to codex', 'go on in Codex'],
];

/** `show <session>`: that there are options needs no saying. */
const subcommandTerm = (command: Command): string =>
  [command.name(), ...command.registeredArguments.map(termOf)].join(' ');

function termOf(argument: Argument): string {
  const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${text}>` : `[${text}]`;
}

/** Groups in the order of their first item, but the options that all commands have at the end. */
function commonLast<T>(_all: T[], visible: T[], groupOf: (item: T) => string): Map<string, T[]> {
  const common = visible.filter((item) => groupOf(item) === COMMON);
  const groups = new Map<string, T[]>();
  for (const item of [...visible.filter((each) => !common.includes(each)), ...common])
    groups.set(groupOf(item), [...(groups.get(groupOf(item)) ?? []), item]);
  return groups;
}
