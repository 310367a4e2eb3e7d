import { fail, ok, type Result } from '../../shared/errors.ts';
import type { EngineContext, OpenHome } from '../procedures/context.ts';
import { leased, stateOf } from './execute.ts';
import { removeMadeFolders } from './made-folders.ts';
import { type HandoffOperation, openList } from './operation.ts';
import { actorOf, newSessionOf, receiptIdOf, undoDecision } from './record.ts';

/**
 * Takes a handoff back: removes the written session unless somebody has gone on with it. Both logs keep what was.
 * Errors: not_found, target_exists (it has grown), write_failed.
 */
export function undoHandoff(
  context: EngineContext,
  home: OpenHome,
  id: string,
): Promise<Result<{ removed: string[]; left: string[] }>> {
  return leased(home, id, async () => {
    const operation = (await home.store.reader.operation(id)) as HandoffOperation | null;
    if (operation?.kind !== 'handoff')
      return fail('not_found', `There is no handoff with the operation id ${id}.`, { operation: id });
    if (operation.state === 'undone') return ok({ removed: [], left: [] });
    const state = stateOf(operation);
    if (!state)
      return fail('not_found', `The handoff ${id} was never finished, so there is nothing to take back.`, {
        operation: id,
      });
    const to = context.agents.adapter(state.request.to);
    if (!to.ok) return to;
    const { native_id: nativeId, title, cwd, version, at, tokens } = state;
    const options = { env: context.agents.env, nativeId, title, cwd, version, at, tokens };
    const left = await to.value.target!.remove({ final: state.final, sha256: state.written!.sha256 }, options);
    if (!left.ok) return left;
    await removeMadeFolders(state.final, state.stood);
    const row = await home.store.reader.session(state.request.session);
    if (!row) return fail('not_found', `The source session ${state.request.session} is gone from the store.`);
    const removed = [state.final];
    const newSession = newSessionOf(to.value.id, state);
    const recorded = { operation: id, state, row, target: to.value, newSession, command: '' };
    const decided = await home.store.writer.decide({
      ...undoDecision(recorded, actorOf(context.options), Date.now() / 1000, removed),
      operation: { ...operation, state: 'undone', updated: Date.now() / 1000 },
      settings: await openList(home.store, id, false),
    });
    if (!decided.ok) return decided;
    context.emit({ topic: 'session', id: newSession, change: 'changed', head_seq: 0 });
    context.emit({ topic: 'session', id: row.id, change: 'appended', head_seq: 0 });
    context.emit({ topic: 'receipt', id: receiptIdOf(id, 'handoff.undo') });
    return ok({ removed, left: left.value });
  });
}
