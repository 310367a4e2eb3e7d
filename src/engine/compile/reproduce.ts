import type { CompileInput } from '../../shared/compiled.ts';
import type { Page } from './compiler.ts';

/** The command that makes the same bytes again, also when the session has grown or a default has changed. */
export function reproduceCommand(page: Page, { max_chars, reserve }: CompileInput): string {
  const { session, target, budget, factor, at } = page;
  return [
    `sessionctl compile ${session} --for ${target} --budget ${budget} --factor ${factor} --at ${at}`,
    ...(reserve === undefined ? [] : [`--reserve ${reserve}`]),
    ...(max_chars === undefined ? [] : [`--max-chars ${max_chars}`]),
  ].join(' ');
}
