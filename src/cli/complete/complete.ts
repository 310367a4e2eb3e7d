import type { Argument, Command, Option } from 'commander';
import { AGENTS, RECEIVERS } from '../../shared/agents.ts';

/** One thing that the word at the cursor can become. */
export interface Suggestion {
  value: string;
  /** shown beside it, where the shell can */
  about: string;
}

/** `paths`: names of files or folders, which the shell itself knows best. */
export interface Completion {
  suggestions: Suggestion[];
  paths: 'files' | 'dirs' | null;
}

/** Sessions that a word can name; asked only where a session may stand. */
export type FindSessions = (typed: string) => Promise<Suggestion[]>;

/**
 * What the last of `words` can become, from the commands and options that the program itself declares: what stands behind
 * an option or an argument is told by its placeholder (`<agent>`, `<session>`, `<dir>`) or its choices.
 */
export async function complete(program: Command, words: readonly string[], find: FindSessions): Promise<Completion> {
  const typed = words.at(-1) ?? '';
  const at = whereabouts(program, words.slice(0, -1));
  const behind = at.argumentsOnly ? null : /^(--[a-z-]+)=(.*)$/.exec(typed);
  if (behind !== null) {
    const [, flag = '', value = ''] = behind;
    const option = optionOf(at.command, flag);
    const found = option === undefined ? none() : await valuesOf(option.flags, option.argChoices, value, find);
    return { ...found, suggestions: found.suggestions.map((one) => ({ ...one, value: `${flag}=${one.value}` })) };
  }
  if (at.pending && !(at.mayEnd && typed.startsWith('-')))
    return valuesOf(at.pending.flags, at.pending.argChoices, typed, find);
  if (typed.startsWith('-') && !at.argumentsOnly) return filtered(flagsOf(at), typed);
  if (at.command.commands.length > 0 && at.given === 0) return filtered(commandsOf(at.command), typed);
  const argument = argumentAt(at.command, at.given);
  if (argument === undefined) return none();
  if (argument.name() === 'command') return filtered(commandsOf(program), typed);
  return valuesOf(`<${argument.name()}>`, argument.argChoices, typed, find);
}

interface Whereabouts {
  command: Command;
  /** arguments before the cursor */
  given: number;
  used: ReadonlySet<Option>;
  /** an option whose value comes next */
  pending: Option | null;
  /** it has what it needs, so that another option may come instead */
  mayEnd: boolean;
  /** behind `--` */
  argumentsOnly: boolean;
}

/** Which command the words before the cursor name, and what was said of it already. */
function whereabouts(program: Command, before: readonly string[]): Whereabouts {
  let command = program;
  let given = 0;
  let pending: Option | null = null;
  let mayEnd = false;
  let argumentsOnly = false;
  const used = new Set<Option>();
  for (const word of before) {
    if (pending !== null && !word.startsWith('-')) {
      if (!pending.variadic) pending = null;
      mayEnd = true;
    } else if (argumentsOnly || !word.startsWith('-')) {
      const next = given === 0 ? subcommand(command, word) : undefined;
      if (next) command = next;
      else given++;
    } else if (word === '--') argumentsOnly = true;
    else {
      const option = optionOf(command, word.replace(/=.*/, ''));
      if (option) used.add(option);
      pending = option && takesValue(option) && !word.includes('=') ? option : null;
      mayEnd = pending?.optional === true;
    }
  }
  return { command, given, used, pending, mayEnd, argumentsOnly };
}

const subcommand = (command: Command, name: string): Command | undefined =>
  command
    .createHelp()
    .visibleCommands(command)
    .find((one) => one.name() === name);

const takesValue = (option: Option): boolean => option.required || option.optional;

const optionOf = (command: Command, flag: string): Option | undefined =>
  command
    .createHelp()
    .visibleOptions(command)
    .find((option) => option.long === flag || option.short === flag);

/** Long flags that were not used yet; those that all commands have come last, as in the help. */
function flagsOf({ command, used }: Whereabouts): Suggestion[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => option.long && (!used.has(option) || option.variadic))
    .toSorted((a, b) => Number(isCommon(a)) - Number(isCommon(b)))
    .map((option) => ({ value: option.long!, about: option.description }));
}

const isCommon = (option: Option): boolean => option.helpGroupHeading !== 'Options:';

const commandsOf = (command: Command): Suggestion[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ value: one.name(), about: one.summary() || one.description() }));

function argumentAt(command: Command, index: number): Argument | undefined {
  const all = command.registeredArguments;
  const last = all.at(-1);
  return all[index] ?? (last?.variadic ? last : undefined);
}

/** What can stand for a placeholder, as in `--agent <agent>`. */
async function valuesOf(
  flags: string,
  choices: readonly string[] | undefined,
  typed: string,
  find: FindSessions,
): Promise<Completion> {
  if (choices) return filtered(plain(choices), typed);
  switch (/[<[]([a-z-]+)/.exec(flags)?.[1]) {
    case 'agent':
      return filtered(plain(flags.startsWith('--to ') ? RECEIVERS : AGENTS), typed);
    case 'agents':
      return filtered(plain([...AGENTS, 'all']), typed);
    case 'session':
      return { suggestions: await find(typed), paths: null };
    case 'what': {
      // verify takes a session or the path of a bundle
      const suggestions = typed.includes('/') ? [] : await find(typed);
      return { suggestions, paths: suggestions.length === 0 ? 'files' : null };
    }
    case 'dir':
      return { suggestions: [], paths: 'dirs' };
    case 'file':
    case 'path':
      return { suggestions: [], paths: 'files' };
    default:
      return none();
  }
}

const none = (): Completion => ({ suggestions: [], paths: null });
const plain = (values: readonly string[]): Suggestion[] => values.map((value) => ({ value, about: '' }));
const filtered = (suggestions: Suggestion[], typed: string): Completion => ({
  suggestions: suggestions.filter(({ value }) => value.startsWith(typed)),
  paths: null,
});
