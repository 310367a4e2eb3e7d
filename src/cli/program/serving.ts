import type { Command } from 'commander';
import type { Add } from './add.ts';
import { whole } from './values.ts';

/** Commands that run until they are stopped, and serve others. */
export function addServing(program: Command, add: Add): void {
  add(program, {
    usage: 'serve',
    summary: 'Serve the app on 127.0.0.1 and print its address',
    examples: [['sessionctl serve --port 7777', 'for a tunnel: ssh -L 7777:127.0.0.1:7777 <machine>']],
    run: async () => (await import('../commands/serve.ts')).serve,
  }).option('--port <n>', 'a port (default: a free one)', whole);
  addMcp(program, add);
}

function addMcp(program: Command, add: Add): void {
  const mcp = program
    .command('mcp')
    .description('Let an agent read and hand over sessions itself (Model Context Protocol)')
    .helpCommand(false);
  add(mcp, {
    usage: 'serve',
    summary: 'Serve one agent over stdin and stdout; agents start it',
    examples: [['sessionctl mcp', 'what the configuration of an agent runs']],
    run: async () => (await import('../commands/mcp.ts')).mcp,
    isDefault: true,
  }).option('--session <session>', 'the session that its conversation is (default: $SESSIONCTL_SESSION)');
  add(mcp, {
    usage: 'install',
    summary: "Put the server into an agent's configuration, or a skill where it has no such servers",
    examples: [
      ['sessionctl mcp install --agent claude --dry-run', 'see what would be written, and where'],
      ['sessionctl mcp install --agent claude', 'let Claude Code use it'],
      ['sessionctl mcp install --agent claude --undo', 'take it out; all else stays byte for byte'],
    ],
    run: async () => (await import('../commands/mcp-install.ts')).mcpInstall,
  })
    .requiredOption('--agent <agent>', 'claude, codex, gemini, opencode, pi or hermes')
    .option('--dry-run', 'say what would be written; nothing is')
    .option('--undo', 'take it out again');
}
