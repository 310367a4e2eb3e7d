import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { safeText } from '../../core/safe-text.ts';
import { createPrivate } from '../../engine/keys/private-file.ts';
import type { Output } from '../../shared/api.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { CompileFormat } from '../../shared/outputs.ts';
import { type Cli, type Run, withEngine } from '../command.ts';
import { plural, tokens } from '../format.ts';
import { readNew } from '../read-new.ts';
import { type CompileOptions, compileInput, compileNotes } from './compile-input.ts';

interface Options extends CompileOptions {
  format: CompileFormat;
  out?: string;
}

type Made = Output<'compile.files'>;

/** `sessionctl compile`: the compiled context on stdout, or in files that are never replaced. */
export const compile: Run<Options, [string]> = (cli, options, session) =>
  withEngine(cli, async (engine) => {
    const { output } = cli;
    const { format } = options;
    // `@context.md` is how an agent will name it
    const out = options.out === undefined ? undefined : resolve(cli.io.cwd, options.out.replace(/^@/, ''));
    if (format === 'work-mem' && out === undefined)
      return output.fail(
        fail('invalid_request', 'A working memory is four files: name their folder with --out.').error,
      );
    const input = compileInput(cli, options, session);
    if (!input.ok) return output.fail(input.error);
    await readNew(cli, engine, input.value.session);
    const compiled = await engine.local.compile(input.value, cli.signal);
    if (!compiled.ok) return output.fail(compiled.error);
    const made = await engine.local.compiledFiles(input.value.session, compiled.value, { format, file: out });
    if (!made.ok) return output.fail(made.error);
    const { compiled: value, injection } = made.value;
    if (out === undefined)
      return output.end(ok(value), () => {
        output.line(safeText(made.value.files[0]!.text));
        for (const note of compileNotes(value)) output.note(note);
      });
    const written = await place(made.value, out, format);
    if (!written.ok) return output.fail(written.error);
    const named = format === 'work-mem' ? { files: written.value } : { path: out };
    return output.end(ok({ ...value, ...named, ...(injection ? { injection } : {}) }), () =>
      tell(cli, made.value, written.value),
    );
  });

/** All of the files under their names, or none. */
async function place({ files }: Made, out: string, format: CompileFormat): Promise<Result<string[]>> {
  const written: string[] = [];
  for (const { name, text } of files) {
    const path = format === 'work-mem' ? join(out, name) : out;
    const done = await createPrivate(path, text).catch((error: Error) => error);
    if (done === true) {
      written.push(path);
      continue;
    }
    for (const one of written) await rm(one, { force: true });
    return done === false
      ? fail('target_exists', `${path} exists already. Choose another name.`, { path })
      : fail('write_failed', `${path} could not be written: ${done.message}.`, { path });
  }
  return ok(written);
}

function tell({ output }: Cli, { compiled: value, injection }: Made, paths: readonly string[]): void {
  const { items, dropped, tokens: used, budget, tokenizer } = value;
  const sum = `${plural(items.length, 'item')}, ${tokens(used)} of ${tokens(budget)} tokens (${tokenizer}), ${plural(dropped.length, 'item')} left out`;
  if (paths.length === 1) output.line(`${paths[0]}: ${sum}`);
  else for (const line of [...paths, sum]) output.line(line);
  if (injection?.command) output.line(`Go on:  ${injection.command.text}`);
  if (injection?.prompt) output.line(`${injection.command ? 'then type' : 'Type'}:  ${injection.prompt}`);
  if (injection) output.note(injection.how);
  if (injection?.too_long) output.note(output.style('yellow', injection.too_long, 'stderr'));
  for (const note of compileNotes(value)) output.note(note);
}
