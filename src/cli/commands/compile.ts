import { resolve } from 'node:path';
import { safeText } from '../../core/safe-text.ts';
import { createPrivate } from '../../engine/keys/private-file.ts';
import { fail } from '../../shared/errors.ts';
import { type Run, withEngine } from '../command.ts';
import { plural, tokens } from '../format.ts';
import { handleOf } from '../handle.ts';

interface Options {
  for: string;
  budget?: number;
  maxChars?: number;
  out?: string;
}

/** `sessionctl compile`: the compiled context on stdout, or in a file that is never replaced. */
export const compile: Run<Options, [string]> = (cli, options, session) =>
  withEngine(cli, async (engine) => {
    const { output } = cli;
    const compiled = await engine.call('compile.run', {
      session: handleOf(cli, session),
      for: options.for,
      budget: options.budget,
      max_chars: options.maxChars,
    });
    if (!compiled.ok || options.out === undefined)
      return output.end(compiled, ({ text }) => output.line(safeText(text)));
    const path = resolve(cli.io.cwd, options.out);
    const written = await createPrivate(path, compiled.value.text).catch((error: Error) => error);
    if (written instanceof Error)
      return output.fail(fail('write_failed', `${path} could not be written: ${written.message}.`, { path }).error);
    if (!written)
      return output.fail(fail('target_exists', `${path} exists already. Choose another name.`, { path }).error);
    return output.end(
      { ok: true, value: { ...compiled.value, path } },
      ({ items, dropped, tokens: used, budget: limit, tokenizer }) => {
        output.line(
          `${path}: ${plural(items.length, 'item')}, ${tokens(used)} of ${tokens(limit)} tokens (${tokenizer}), ${plural(dropped.length, 'item')} left out`,
        );
      },
    );
  });
