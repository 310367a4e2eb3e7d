import { Argument, type Command } from 'commander';
import { SHELLS } from '../complete/scripts.ts';
import type { Add } from './add.ts';

/** Help with the command line itself. */
export function addShell(program: Command, add: Add): void {
  add(program, {
    usage: 'completion',
    summary: 'Print what makes your shell complete commands, options, agents and sessions',
    examples: [
      ['sessionctl completion bash >> ~/.bashrc', 'for bash; the same with zsh and ~/.zshrc'],
      ['sessionctl completion fish > ~/.config/fish/completions/sessionctl.fish', 'for fish'],
      ['sessionctl completion powershell >> $PROFILE', 'for PowerShell'],
    ],
    run: async () => (await import('../commands/completion.ts')).completion,
  }).addArgument(new Argument('<shell>', 'your shell').choices(SHELLS));
}
