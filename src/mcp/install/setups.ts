import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { AGENT_LABELS, type AgentId } from '../../shared/agents.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import { type Format, fileFormat, jsonFormat, tomlFormat } from './format.ts';
import type { Dialect } from './jsonc.ts';
import { SKILL_MARK, skillText } from './skill.ts';

/** What an agent is to start. */
export interface Start {
  program: string;
  args: readonly string[];
}

/** The machine as the user's shell sees it. */
export interface Surroundings {
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  /** version of the installed agent, as far as known */
  version: string | null;
}

/** Where an agent's configuration is, and what our entry in it looks like. */
export interface Setup {
  file: string;
  format: Format;
  kind: 'mcp' | 'skill';
  /** the agent locks the file by a folder beside it while it writes it */
  locked?: true;
  /** what the user does next */
  next: string;
}

const NAME = 'sessionctl';
const STRICT: Dialect = { comments: false, trailingCommas: false };

/**
 * Variables that decide where sessions and keys are. Codex gives a server few variables of its own environment; these are
 * passed on by name, so that no value stands in its file. The last two lead to the system's keychain.
 */
const VARIABLES = [
  'SESSIONCTL_HOME',
  'SESSIONCTL_PASSPHRASE',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'PI_CODING_AGENT_DIR',
  'PI_CODING_AGENT_SESSION_DIR',
  'HERMES_HOME',
  'OPENCODE_DB',
  'GEMINI_CLI_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
];

type Make = (start: Start, around: Surroundings) => Promise<Setup>;

/** By agent; where each fact was seen is in docs/mcp.md. */
const SETUPS: Partial<Record<AgentId, Make>> = {
  claude: async ({ program, args }, { home, env }) => {
    const legacy = join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), '.config.json');
    const entry = { type: 'stdio', command: program, args, env: {} };
    return {
      file: (await exists(legacy)) ? legacy : join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'),
      format: jsonFormat(['mcpServers', NAME], entry, STRICT),
      kind: 'mcp',
      locked: true,
      next: 'Start Claude Code anew; /mcp shows the server.',
    };
  },
  codex: async ({ program, args }, { home, env }) => ({
    file: join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    format: tomlFormat({ path: ['mcp_servers', NAME], entries: { command: program, args, env_vars: VARIABLES } }),
    kind: 'mcp',
    next: 'Start Codex anew; /mcp shows the server.',
  }),
  gemini: async ({ program, args }, { home, env }) => ({
    file: join(env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json'),
    format: jsonFormat(['mcpServers', NAME], { command: program, args }, { comments: true, trailingCommas: false }),
    kind: 'mcp',
    next: 'Start Gemini CLI anew; /mcp list shows the server. It starts servers in trusted folders only.',
  }),
  opencode: async ({ program, args }, { home, env }) => {
    const folder = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode');
    const commented = join(folder, 'opencode.jsonc');
    return {
      file: (await exists(commented)) ? commented : join(folder, 'opencode.json'),
      format: jsonFormat(
        ['mcp', NAME],
        { type: 'local', command: [program, ...args] },
        { comments: true, trailingCommas: true },
      ),
      kind: 'mcp',
      next: 'Start OpenCode anew; `opencode mcp list` shows the server.',
    };
  },
  pi: async (start, around) => {
    const folder = around.env.PI_CODING_AGENT_DIR || join(around.home, '.pi', 'agent');
    if (!speaksMcp(around.version)) return skill(join(folder, 'skills'), start, 'pi');
    return {
      file: join(folder, 'mcp.json'),
      // else its tools are for scripts of codemode alone, and the model is not told of them
      format: jsonFormat(
        ['mcpServers', NAME],
        { command: start.program, args: start.args, exposure: 'direct' },
        STRICT,
      ),
      kind: 'mcp',
      next: 'Start Pi anew; `pi mcp list` shows the server.',
    };
  },
  hermes: async (start, { home, env }) =>
    skill(join(env.HERMES_HOME || join(home, '.hermes'), 'skills'), start, 'hermes'),
};

/** The agents that can be set up. */
export const SETUP_AGENTS = Object.keys(SETUPS) as AgentId[];

/** Errors: target_unsupported. */
export async function setupOf(agent: string, start: Start, around: Surroundings): Promise<Result<Setup>> {
  const make = SETUPS[agent as AgentId];
  if (make !== undefined) return ok(await make(start, around));
  return fail(
    'target_unsupported',
    `${AGENT_LABELS[agent as AgentId] ?? `"${agent}"`} cannot be set up here. Known: ${SETUP_AGENTS.join(', ')}. Any other ` +
      `client of the Model Context Protocol can start this command over stdio: ${[start.program, ...start.args].join(' ')}`,
    { agent, known: SETUP_AGENTS },
  );
}

function skill(folder: string, { program }: Start, agent: 'pi' | 'hermes'): Setup {
  return {
    file: join(folder, NAME, 'SKILL.md'),
    format: fileFormat(skillText(program, agent), SKILL_MARK),
    kind: 'skill',
    next: `Start ${AGENT_LABELS[agent]} anew. It reads the skill when a task asks for earlier sessions.`,
  };
}

/** Pi has a client of its own since 0.99.0 (29 September 2026). Of an unknown version the newest is thought. */
function speaksMcp(version: string | null): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version ?? '') ?? [];
  return major === undefined || Number(major) > 0 || Number(minor) >= 99;
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
