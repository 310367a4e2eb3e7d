import type { Command } from 'commander';
import { AGENTS, RECEIVERS } from '../../shared/agents.ts';
import type { Cli } from '../command.ts';

/** What an `<agent>` may be, for the help texts; whether it is one is judged where it is used. */
export const NAMES = AGENTS.join(', ');
/** Names of those that sessions can be written for. */
export const RECEIVER_NAMES = RECEIVERS.join(', ');

/** Heading of the options that all commands have; it comes last. */
export const COMMON = 'Common to all commands:';

export type Action = (cli: Cli, options: never, ...args: never[]) => Promise<number>;

/** A command as a group declares it. */
export interface CommandSpec {
  /** name and arguments as commander writes them: `show <session>` */
  usage: string;
  summary: string;
  /** a line to type, and what it does; shown in its help, and run or parsed by a test */
  examples: readonly (readonly [line: string, does: string])[];
  /** its code, loaded when it is called: nothing else may load it */
  run: () => Promise<Action>;
  /** what its parent does when no more is said */
  isDefault?: boolean;
  /** its output for people can be long: on a terminal it goes through the pager */
  pages?: boolean;
  /** its output has rows that a program can take one by one (--jsonl) */
  lines?: boolean;
}

/** Adds a command with the options that all have, and returns it, for its own options. */
export type Add = (parent: Command, spec: CommandSpec) => Command;

/** How the program makes a command into an action that commander can call. */
export type Wrap = (spec: CommandSpec) => (...args: unknown[]) => Promise<void>;

export function adder(wrap: Wrap, help: (examples: CommandSpec['examples']) => string): Add {
  return (parent, spec) => {
    const { usage, summary, examples, isDefault = false, pages = false, lines = false } = spec;
    const command = parent
      .command(usage, { isDefault })
      .summary(summary)
      .description(summary)
      .optionsGroup(COMMON)
      .option('--json', 'print one JSON object')
      .option('--home <dir>', "sessionctl's own folder (default: $SESSIONCTL_HOME or ~/.sessionctl)")
      .option('--no-color', 'no colours')
      .helpOption('-h, --help', 'show this help')
      .optionsGroup('Options:')
      .addHelpText('after', () => help(examples))
      .action(wrap(spec));
    command.optionsGroup(COMMON);
    if (lines) command.option('--jsonl', 'print JSON, a row a line, as it is read');
    if (pages) command.option('--no-pager', 'do not use a pager');
    return command.optionsGroup('Options:');
  };
}
