import type { CliIo } from '../io.ts';
import { buildProgram } from '../program/program.ts';
import { complete } from './complete.ts';
import { findSessions } from './find-sessions.ts';

/**
 * What the shells' scripts ask: `__complete <shell> <words…>`, the last word being the one at the cursor. A suggestion a
 * line, `value<TAB>about`; `:files` or `:dirs` as a last line leaves it to the shell. Never fails, never says why not.
 */
export async function answerShell([shell = '', ...given]: readonly string[], io: CliIo): Promise<number> {
  try {
    const words = wordsOf(shell, given);
    const home = optionValue('--home', words);
    const found = await complete(
      buildProgram(io, () => async () => {}),
      words,
      (typed) => findSessions(io, home, typed),
    );
    // bash replaces what stands behind `=` alone
    const cut = shell === 'bash' && /^--[a-z-]+=/.test(words.at(-1) ?? '') ? /^--[a-z-]+=/ : /^/;
    let text = '';
    for (const { value, about } of found.suggestions) text += `${value.replace(cut, '')}\t${about}\n`;
    if (found.paths !== null) text += `:${found.paths}\n`;
    io.stdout.write(text);
  } catch {
    // a Tab that finds nothing
  }
  return 0;
}

/** The words as they were typed. */
function wordsOf(shell: string, given: readonly string[]): readonly string[] {
  if (shell === 'bash') return joined(given);
  if (shell !== 'powershell') return given;
  // an empty word can get lost on the way; the first one says how many there were
  const [count, ...words] = given;
  return words.length < Number(count) ? [...words, ''] : words;
}

/** bash cuts words at `=`: `--to`, `=`, `co` is `--to=co` again. */
function joined(words: readonly string[]): string[] {
  const whole: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const flag = whole.at(-1);
    if (word.startsWith('=') && flag?.startsWith('--')) {
      const value = word === '=' ? (words[i + 1] ?? '') : word.slice(1);
      whole[whole.length - 1] = `${flag}=${value}`;
      if (word === '=') i++;
    } else whole.push(word);
  }
  return whole;
}

function optionValue(flag: string, words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (at < 0) return undefined;
  return words[at] === flag ? words[at + 1] : words[at]!.slice(flag.length + 1);
}
