import type { Command } from '../shared/handoff.ts';

/** Words that mean themselves to every shell. */
const PLAIN = /^[\w@%+=:,./-]+$/;
/** What a terminal would obey when the word is printed: control characters and marks that change the direction of text. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const EVERY_UNPRINTABLE = new RegExp(UNPRINTABLE, 'g');

/**
 * A command that a person copies, or that is started as it is. Nothing of a session can add to it: each word is quoted for
 * a POSIX shell, so that the text holds no control character, and a folder is never taken for an option of `cd`.
 */
export function shellCommand(argv: string[], cwd: string | null): Command {
  const command = argv.map(shellWord).join(' ');
  if (cwd === null) return { argv, cwd, text: command };
  return { argv, cwd, text: `cd ${shellWord(cwd.startsWith('-') ? `./${cwd}` : cwd)} && ${command}` };
}

function shellWord(word: string): string {
  if (PLAIN.test(word)) return word;
  if (!UNPRINTABLE.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  // $'…' of bash, zsh and ksh
  return `$'${word.replace(/[\\']/g, '\\$&').replace(EVERY_UNPRINTABLE, escaped)}'`;
}

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  // three octal digits end by themselves, whatever follows
  return code < 0x80 ? `\\${code.toString(8).padStart(3, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
