import type { AgentId } from '../../shared/agents.ts';
import type { Injection } from '../../shared/injection.ts';
import { shellCommand } from '../shell-command.ts';

/**
 * Where each agent takes a file into its conversation. Found by running them (2026-11-30: Claude Code 2.1.332, Codex 0.171.0, Pi
 * 1.6.0, OpenCode 1.18.33, Gemini CLI 0.61.0; `node scripts/task.mjs e2e/agents/contexts.ts` runs them again), Hermes, Cursor and Aider by their docs.
 *
 * The file is always attached to the first prompt, as something to be read. Claude Code and Gemini CLI obey every `@name` in a
 * prompt and in an imported CLAUDE.md or GEMINI.md, so that a page of history in there would pull in whatever file is named
 * in it; in an attached file they do not.
 */
export function injectionOf(agent: string, page: Page): Injection {
  const way = WAYS[agent as AgentId];
  return way === undefined
    ? {
        command: null,
        prompt: null,
        how: `How ${agent} takes a file is not known here: paste it into its first prompt.`,
      }
    : way(page);
}

export interface Page {
  text: string;
  /** of the target's model */
  tokens: number;
  /** path of the file, absolute, or as the agent finds it from `cwd` */
  file: string;
  /** folder in which the agent is started; null = where one stands */
  cwd: string | null;
}

const PROMPT = 'Go on with the task. All that is known of it so far is in';

/** Gemini CLI and OpenCode read so many lines of a file. */
const LINES = 2_000;

const WAYS: Record<AgentId, (page: Page) => Injection> = {
  claude,
  codex,
  pi: ({ file, cwd }) => ({
    command: shellCommand(['pi', `@${inside(file, cwd)}`, `${PROMPT} this file.`], cwd),
    prompt: null,
    how: 'Pi puts the file in front of the prompt, whole.',
  }),
  hermes: ({ file, cwd }) => ({
    command: shellCommand(['hermes'], cwd),
    prompt: `${PROMPT} @file:${/\s/.test(file) ? `"${inside(file, cwd)}"` : inside(file, cwd)}`,
    how: 'Hermes attaches the file to the prompt, up to half of the model’s window (by its documentation).',
  }),
  opencode,
  gemini,
  cursor: ({ file, cwd }) => ({
    command: null,
    prompt: `${PROMPT} @${inside(file, cwd)}`,
    how: 'Type it into the chat of Cursor (by its documentation).',
  }),
  aider: ({ file, cwd }) => ({
    command: shellCommand(['aider', '--read', inside(file, cwd)], cwd),
    prompt: `${PROMPT} ${inside(file, cwd)}.`,
    how: 'Aider reads the file along with each prompt (by its documentation).',
  }),
};

/** What its own reading of files takes: 25,000 tokens and 256 KiB. Over that a mentioned file is silently not attached. */
const CLAUDE = { tokens: 22_000, bytes: 250_000 };

function claude({ text, tokens, file, cwd }: Page): Injection {
  const path = inside(file, cwd);
  if (tokens > CLAUDE.tokens || bytesOf(text) > CLAUDE.bytes)
    return {
      command: shellCommand(['claude', '--append-system-prompt-file', path, 'Go on with the task.'], cwd),
      prompt: null,
      how: 'Claude Code takes the file into its system prompt: for a mentioned file it is too long.',
    };
  return {
    command: shellCommand(['claude', `${PROMPT} @${/\s/.test(path) ? `"${path}"` : path}`], cwd),
    prompt: null,
    how: 'Claude Code reads the mentioned file and puts it in front of the prompt.',
  };
}

/** One argument of a program on Linux takes 128 KiB. */
const ARGUMENT_BYTES = 120_000;

function codex({ text, file, cwd }: Page): Injection {
  const path = inside(file, cwd);
  const quoted = shellCommand([path], null).text;
  if (bytesOf(text) > ARGUMENT_BYTES)
    return {
      command: shellLine(`codex exec - < ${quoted}`, cwd),
      prompt: null,
      how: 'Codex reads its first prompt from the file; go on with `codex resume --last`.',
    };
  return {
    command: shellLine(`codex "$(cat ${quoted})"`, cwd),
    prompt: null,
    how: 'Codex gets the file as its first prompt.',
  };
}

/** What of an attached file it reads. */
const OPENCODE_BYTES = 50_000;

function opencode({ text, file, cwd }: Page): Injection {
  const path = inside(file, cwd);
  if (bytesOf(text) > OPENCODE_BYTES || linesOf(text) > LINES)
    return {
      command: shellLine(`opencode run < ${shellCommand([path], null).text}`, cwd),
      prompt: null,
      how: 'OpenCode reads its first prompt from the file; go on with `opencode --continue`.',
    };
  return {
    command: shellCommand(
      ['opencode', 'run', '--interactive', '--file', path, '--', `${PROMPT} the attached file.`],
      cwd,
    ),
    prompt: null,
    how: 'OpenCode attaches the file to the prompt.',
  };
}

function gemini({ text, file, cwd }: Page): Injection {
  const path = inside(file, cwd);
  const outside =
    cwd === null || path !== file ? [] : ['--include-directories', file.slice(0, file.lastIndexOf('/')) || '/'];
  const prompt = `${PROMPT} @${path.replace(/[\s\\()[\]{};|*?$`'"#&<>!~]/g, '\\$&')}`;
  return {
    command: shellCommand(['gemini', ...outside, '--prompt-interactive', prompt], cwd),
    prompt: null,
    how: 'Gemini CLI reads the mentioned file and puts it behind the prompt. A file that git ignores it does not read.',
    ...(linesOf(text) > LINES
      ? { too_long: `It reads the first ${LINES} lines of ${linesOf(text)}: compile it again with a smaller --budget.` }
      : {}),
  };
}

function shellLine(line: string, cwd: string | null): Injection['command'] {
  const folder = cwd === null ? '' : `cd ${shellCommand([cwd.startsWith('-') ? `./${cwd}` : cwd], null).text} && `;
  return { argv: ['sh', '-c', line], cwd, text: `${folder}${line}` };
}

/** A path below the folder as it is seen from there; all others stay as they are. */
function inside(file: string, cwd: string | null): string {
  const folder = cwd === null ? null : cwd.replace(/\/+$/, '');
  return folder !== null && file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file;
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
const linesOf = (text: string): number => text.split('\n').length;
