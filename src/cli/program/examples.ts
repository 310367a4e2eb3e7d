import { width } from '../../core/safe-text.ts';
import type { CommandSpec } from './add.ts';

/** The examples of a command as its help shows them: in two columns, or one below the other where those are too wide. */
export function examplesText(examples: CommandSpec['examples'], columns: number): string {
  const longest = Math.max(...examples.map(([line]) => width(line)));
  const wide = examples.every(([, does]) => 2 + longest + 3 + width(does) <= columns);
  const lines = examples.flatMap(([line, does]) =>
    wide ? [`  ${line.padEnd(longest)}   ${does}`] : [`  ${line}`, `      ${does}`],
  );
  return `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${lines.join('\n')}`;
}
