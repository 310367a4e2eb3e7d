import type { Command } from 'commander';
import { type Add, NAMES } from './add.ts';

/** Commands that set up the store and fill it. */
export function addStore(program: Command, add: Add): void {
  add(program, {
    usage: 'init',
    summary: 'Make the encrypted store, or recover its key',
    examples: [
      ['sessionctl init', "keep the key in the system's keychain"],
      ['sessionctl init --key-file', 'on a machine without one: keep it in a file'],
    ],
    run: async () => (await import('../commands/init.ts')).init,
  })
    .option('--store <dir>', 'make it there; the same as --home')
    .option('--passphrase', 'lock the key by a passphrase: asked for, or from $SESSIONCTL_PASSPHRASE')
    .option('--key-file [path]', 'keep the key in a file that only you can read (weaker)')
    .option('--recover', 'bring back a lost key: the recovery key is asked for, or read from standard input');
  addSources(program, add);
  add(program, {
    usage: 'import',
    summary: 'Read new and changed sessions into the store',
    examples: [
      ['sessionctl import', 'read what is new in all enabled sources'],
      ['sessionctl import --path old-machine/.codex/sessions', 'read the sessions below a folder'],
    ],
    run: async () => (await import('../commands/import.ts')).importSessions,
  })
    .option('--agent <agent>', `only this agent: ${NAMES}`)
    .option('--path <path>', 'a session file or folder anywhere; or a bundle made by export --bundle');
}

function addSources(program: Command, add: Add): void {
  const sources = program.command('sources').description('Which agents may be read').helpCommand(false);
  add(sources, {
    usage: 'list',
    summary: 'Show the sources with their counts',
    examples: [['sessionctl sources', 'which agents have sessions here, and may they be read']],
    run: async () => (await import('../commands/sources.ts')).listSources,
    isDefault: true,
  });
  add(sources, {
    usage: 'enable <agents...>',
    summary: `Allow agents to be read: ${NAMES}, or all`,
    examples: [
      ['sessionctl sources enable claude codex', 'allow two'],
      ['sessionctl sources enable all', 'allow all that are found'],
    ],
    run: async () => (await import('../commands/sources.ts')).enableSources,
  });
  add(sources, {
    usage: 'disable <agents...>',
    summary: 'Read agents no longer; what was read stays',
    examples: [['sessionctl sources disable codex', 'read no more of Codex']],
    run: async () => (await import('../commands/sources.ts')).disableSources,
  });
}
