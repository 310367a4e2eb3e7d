import { type Command, Option } from 'commander';
import { EXPORT_FORMATS } from '../../shared/choices.ts';
import { type Add, RECEIVER_NAMES } from './add.ts';
import { positive } from './values.ts';

/** Commands that take a session elsewhere. */
export function addMoving(program: Command, add: Add): void {
  addHandoff(program, add);
  add(program, {
    usage: 'export <session>',
    summary: 'Write a session: to be read, for an agent, or as a signed bundle',
    examples: [
      ['sessionctl export 4f2a --format html --out session.html', 'one page to read and search, without a network'],
      ['sessionctl export 4f2a --format markdown --out - | less', 'as Markdown, to another program'],
      ['sessionctl export 4f2a --bundle --out session.tar', 'a signed copy that anyone can verify'],
      ['sessionctl export 4f2a --agent claude --out folder', "in an agent's own format"],
    ],
    run: async () => (await import('../commands/export.ts')).exportSession,
  })
    .addOption(new Option('--format <format>', 'to be read by people or other programs').choices(EXPORT_FORMATS))
    .option('--all', 'with --format: undone turns and dead branches too, marked')
    .option('--no-subagents', 'with --format: without its sub-agents')
    .option('--agent <agent>', `in this agent's own format: ${RECEIVER_NAMES}`)
    .option('--bundle', 'as a bundle that anyone can verify')
    .option('--cwd <dir>', 'with --agent: the folder that the session has there (default: that of the session)')
    .option('--allow-secrets', 'export a bundle even though something in it looks like a secret')
    .requiredOption('--out <path>', 'a file, - for standard output; a folder; a .tar or .tar.zst file for a bundle');
  add(program, {
    usage: 'resume <session>',
    summary: "Print the agent's own command that goes on with a session",
    examples: [
      ['sessionctl resume 4f2a', 'print it'],
      ['sessionctl resume 4f2a --run', 'go on at once'],
      ['sessionctl resume 4f2a --agent pi --run', 'go on in Pi, which gets a session of its own'],
    ],
    run: async () => (await import('../commands/resume.ts')).resume,
  })
    .option('--agent <agent>', `go on in this agent: ${RECEIVER_NAMES}`)
    .option('--cwd <dir>', "with --agent: the new session's folder (default: that of the session)")
    .option('--run', 'run it');
}

function addHandoff(program: Command, add: Add): void {
  add(program, {
    usage: 'handoff [session]',
    summary: 'Continue a session in another agent',
    examples: [
      ['sessionctl handoff 4f2a --to codex --dry-run', 'what would be kept, converted and lost'],
      ['sessionctl handoff 4f2a --to codex --note "The tests of the parser fail."', 'write it, with a word to Codex'],
      ['sessionctl handoff', 'on a terminal: choose both, see the plan, say yes'],
    ],
    run: async () => (await import('../commands/handoff.ts')).handoff,
  })
    .option('--to <agent>', `the agent that goes on: ${RECEIVER_NAMES}`)
    .option('--note <text>', 'a note for it')
    .addOption(new Option('--mode <mode>', 'what is carried').choices(['native', 'native-tail', 'context', 'delta']))
    .option('--turns <n>', 'native-tail: so many of the last turns', positive)
    .option('--since <session>', 'delta: the session that it goes on with, where several know this one')
    .option('--cwd <dir>', "the new session's folder (default: that of the session)")
    .option('--operation <id>', 'any id; the same again never writes a second session')
    .option('--dry-run', 'say what would be carried and lost; nothing is written')
    .option('--yes', 'do not ask for a yes after a choice')
    .option('--undo', 'take a handoff back (with --operation instead of a session)')
    .option('--no-scan', 'do not look for new sessions first');
}
