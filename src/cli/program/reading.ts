import { type Command, Option } from 'commander';
import { COMPILE_FORMATS, SEARCH_PLACES, SESSION_HAS } from '../../shared/choices.ts';
import { type Add, NAMES } from './add.ts';
import { addCompileInputs } from './compile-inputs.ts';
import { date, gathered, positive, whole } from './values.ts';

/** Commands that show what is in the store. */
export function addReading(program: Command, add: Add): void {
  add(program, {
    usage: 'status',
    summary: 'What is here: sessions of this folder, agents, store',
    examples: [['sessionctl status', 'who worked in this folder, and what to do next']],
    run: async () => (await import('../commands/status.ts')).status,
  });
  addList(program, add);
  addSearch(program, add);
  add(program, {
    usage: 'show <session>',
    summary: 'Show a session',
    examples: [
      ['sessionctl show 4f2a', 'the conversation; the first characters of an id will do'],
      ['sessionctl show 4f2a --events', 'its log, an event a line'],
      ['sessionctl show 4f2a --seq 12', 'event 12 in full'],
    ],
    pages: true,
    lines: true,
    run: async () => (await import('../commands/show.ts')).show,
  })
    .option('--events', 'its events instead of the conversation')
    .option('--seq <n>', 'one event', whole);
  const compile = add(program, {
    usage: 'compile <session>',
    summary: 'Compile what an agent needs to go on, within a budget',
    examples: [
      ['sessionctl compile 4f2a --for codex', 'print it'],
      [
        'sessionctl compile 4f2a --for claude --budget 8000 --out context.md',
        'a file, and the command that goes on with it',
      ],
      [
        'sessionctl compile 4f2a --for codex --format work-mem --out AIMemory',
        'STATE, TASKS, DECISIONS and HANDOFF.md',
      ],
      ['sessionctl compile 4f2a --for codex --format a2a', 'as a task of the A2A protocol'],
      ['sessionctl compile 4f2a --for codex --since 77c1', 'only what Codex session 77c1 does not know yet'],
      ['sessionctl compile 4f2a --for pi --workspace', 'with what git and the files say now'],
    ],
    pages: true,
    run: async () => (await import('../commands/compile.ts')).compile,
  })
    .requiredOption('--for <agent>', `the agent that will read it: ${NAMES}`)
    .addOption(
      new Option('--format <format>', 'one page, a working memory in Markdown, or an A2A task')
        .choices(COMPILE_FORMATS)
        .default('context'),
    )
    .option('--budget <tokens>', 'at most so many tokens', positive)
    .option('--max-chars <n>', 'at most so many characters too', positive)
    .option('--out <path>', 'write it to a file, a working memory to a folder');
  addCompileInputs(compile);
}

function addList(program: Command, add: Add): void {
  add(program, {
    usage: 'list [words...]',
    summary: 'List sessions, newest first; words search titles, prompts and paths',
    examples: [
      ['sessionctl list', 'the newest of all agents'],
      ['sessionctl list login --agent claude', 'those of Claude Code that speak of login'],
      ['sessionctl list --cwd . --has error', 'those of this folder in which something failed'],
    ],
    pages: true,
    lines: true,
    run: async () => (await import('../commands/list.ts')).list,
  })
    .option('--agent <agent>', `only this agent: ${NAMES}`)
    .option('--cwd <dir>', 'only sessions of this folder')
    .addOption(new Option('--has <what...>', 'only sessions that have it').choices(SESSION_HAS))
    .option('--after <date>', 'active since then (ISO date, or 7d)', date)
    .option('--before <date>', 'active before then (ISO date, or 7d)', date)
    .option('--all', 'sub-agents and empty sessions too')
    .addOption(new Option('--sort <order>', 'order').choices(['recent', 'oldest', 'title', 'size']).default('recent'))
    .option('--limit <n>', 'at most so many (default: 30; all with --json)', whole)
    .option('--no-scan', 'do not look for new sessions first');
}

function addSearch(program: Command, add: Add): void {
  add(program, {
    usage: 'search <words...>',
    summary: 'Search all that was said and done, in every session',
    examples: [
      ['sessionctl search login timeout', 'both words in one message, call or result'],
      [`sessionctl search '"connection refused" -test in:tool'`, 'a phrase, without a word, in tools alone'],
      ['sessionctl search parseConf* --agent codex', 'names that begin so; parts of names are found too'],
      ['sessionctl search ECONNRESET --in error --after 2026-11-01', 'what failed with it since then'],
    ],
    pages: true,
    run: async () => (await import('../commands/search.ts')).search,
  })
    .option('--agent <agent>', `only this agent: ${NAMES}`)
    .option('--cwd <dir>', 'only sessions of this folder')
    .option('--after <date>', 'said since then (ISO date, or 7d)', date)
    .option('--before <date>', 'said before then (ISO date, or 7d)', date)
    .option('--in <place>', `only there, may be repeated: ${SEARCH_PLACES.join(', ')}`, gathered(SEARCH_PLACES))
    .option('--session <session>', 'only in this session, in its order')
    .option('--hits <n>', 'at most so many of each session (default: 3)', positive)
    .option('--limit <n>', 'at most so many sessions (default: 10)', positive)
    .option('--offset <n>', 'skip so many sessions', whole)
    .option('--wait <seconds>', 'index what is missing for so long (default: 60)', whole)
    .option('--no-scan', 'do not look for new sessions first');
}
