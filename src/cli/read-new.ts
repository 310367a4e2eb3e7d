import type { Engine } from '../engine/engine.ts';
import type { Cli } from './command.ts';

/**
 * Reads what was said in a session since it was captured, before it is shown or carried. What hinders that is a remark; a
 * session that is not there is told by whatever is asked of it next.
 */
export async function readNew(cli: Cli, engine: Engine, session: string): Promise<void> {
  const read = await engine.local.refresh(session);
  if (read.ok) for (const { detail } of read.value) cli.output.note(detail);
}
