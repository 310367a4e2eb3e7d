import { partsOf } from '../../core/compile/result.ts';
import { ok, type Result } from '../../shared/errors.ts';
import type { Budget } from '../../shared/handoff.ts';
import type { Page } from '../compile/compiler.ts';
import { withCompiler } from '../compile/threaded.ts';
import type { EngineContext, OpenHome } from '../procedures/context.ts';
import { type CompiledNote, noteOf } from './compiled-note.ts';

/** What a handoff carries compiled. */
export interface Compiled {
  text: string;
  sha256: string;
  tokens: number;
  parts: Budget['parts'];
  /** what the source's log says of it */
  note: CompiledNote;
}

/** Errors: no_conversation, p0_over_budget. */
export async function compileForHandoff(
  { options }: Pick<EngineContext, 'options'>,
  { store }: Pick<OpenHome, 'store'>,
  page: Page,
): Promise<Result<Compiled>> {
  const compiled = await withCompiler(store, options.host, (compiler) => compiler.page(page));
  if (!compiled.ok) return compiled;
  const { text, sha256, tokens } = compiled.value;
  return ok({ text, sha256, tokens, parts: partsOf(compiled.value), note: noteOf(compiled.value) });
}
