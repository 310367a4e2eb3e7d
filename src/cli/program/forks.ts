import type { Command } from 'commander';
import type { Add } from './add.ts';
import { whole } from './values.ts';

/** Commands that add something of ours to a session. */
export function addForks(program: Command, add: Add): void {
  add(program, {
    usage: 'fork <session>',
    summary: 'Begin a new session at an event of another one',
    examples: [
      ['sessionctl show 4f2a --events', 'the events with their numbers'],
      ['sessionctl fork 4f2a --at 120 --reason "the other way"', 'go on from event 120, without what came later'],
    ],
    run: async () => (await import('../commands/fork.ts')).fork,
  })
    .requiredOption('--at <seq>', 'number of the last event that it goes on from', whole)
    .option('--reason <text>', 'why; kept in the fork and in its receipt')
    .option('--operation <id>', 'any id; the same again never makes a second fork');
  add(program, {
    usage: 'checkpoint <session>',
    summary: 'Mark the end of a session as it is now, and sign it',
    examples: [['sessionctl checkpoint 4f2a --message "tests green"', 'a point to come back to, with fork']],
    run: async () => (await import('../commands/checkpoint.ts')).checkpoint,
  })
    .option('--message <text>', 'what the point is')
    .option('--operation <id>', 'any id; the same again never makes a second mark');
}
