import type { Command } from 'commander';
import type { Add } from './add.ts';
import { positive } from './values.ts';

/** Commands that check what is stored and what was done. */
export function addCare(program: Command, add: Add): void {
  add(program, {
    usage: 'receipts [session]',
    summary: 'List what was done, newest first',
    examples: [
      ['sessionctl receipts', 'handoffs, exports and what was taken back'],
      ['sessionctl receipts 4f2a', 'those of one session'],
    ],
    pages: true,
    run: async () => (await import('../commands/receipts.ts')).receipts,
  }).option('--limit <n>', 'at most so many', positive, 50);
  add(program, {
    usage: 'redact [session]',
    summary: "Look for secrets in what is stored, under today's rules; nothing is changed",
    examples: [
      ['sessionctl redact 4f2a', 'of one session'],
      ['sessionctl redact --strict', 'of all; what only looks like a secret counts too'],
    ],
    run: async () => (await import('../commands/redact.ts')).redact,
    pages: true,
  }).option('--strict', 'end with 1 for candidates too');
  add(program, {
    usage: 'verify [what]',
    summary: 'Check a session, a receipt, a bundle, or the whole store',
    examples: [
      ['sessionctl verify', 'the whole store'],
      ['sessionctl verify session.tar', 'a bundle'],
    ],
    run: async () => (await import('../commands/verify.ts')).verify,
  }).option('--key <key>', 'public key of the signer (base64), from outside of a bundle');
  add(program, {
    usage: 'doctor',
    summary: 'Check the installation, and whether the agents can still be read',
    examples: [['sessionctl doctor', 'says for each thing that is wrong how to mend it']],
    run: async () => (await import('../commands/doctor.ts')).doctor,
  });
}
