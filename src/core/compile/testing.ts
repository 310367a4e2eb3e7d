import { type CompiledContext, compiledSchema } from '../../shared/compiled.ts';
import { type Result, unwrap } from '../../shared/errors.ts';
import { loadTokenizer } from '../tokens/exact.ts';
import { activePath } from '../view/branch.ts';
import type { LogBuilder } from '../view/testing.ts';
import { type CompileInput, compile } from './compile.ts';
import { gather } from './material.ts';
import { compileSelection } from './select.ts';

export const tokenizer = await loadTokenizer();
const session = { id: 'sess_0123456789abcdef0123', agent: 'claude', cwd: '/home/dev/orchard', git_branch: 'main' };

/** Compiles a log as the engine would. */
export function run(log: LogBuilder, options: Partial<CompileInput> = {}, before?: number): Result<CompiledContext> {
  const index = log.index();
  const selection = compileSelection(index, activePath(index), before);
  const events = selection.seqs.map((seq) => log.events[seq]!);
  return compile({
    session,
    selection,
    material: gather(events),
    target: 'codex',
    budget: 8_000,
    tokenizer,
    factor: 1,
    ...options,
  });
}

/** The compiled context, checked against its schema. */
export function page(log: LogBuilder, options: Partial<CompileInput> = {}, before?: number): CompiledContext {
  const compiled = unwrap(run(log, options, before));
  return compiledSchema.parse(compiled);
}

/** A command as an adapter writes it: call, result, what it ran. */
export function shell(
  log: LogBuilder,
  id: string,
  command: string,
  output: string,
  exit: number | undefined,
  more: Record<string, unknown> = {},
): number {
  const call = log.call(`r-${id}`, id, 'shell', { command });
  log.result(id, output, undefined, { is_error: exit !== 0, ...more });
  return log.event(
    'command.run',
    { cmd: command, stdout_tail: output.slice(-1000), ...(exit === undefined ? {} : { exit_code: exit }) },
    { refs: [`seq:${call}`] },
  );
}
