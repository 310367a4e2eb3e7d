import type { SessionState } from './state.ts';

/** The last version that takes the line with the newest time for the leaf, and does not know pointers. */
const NEWEST_TIME_UNTIL = [2, 1, 50] as const;

/**
 * The event at which the active branch ends, by the rules of the client: normally the last user or assistant line in
 * file order. A `last-prompt` line that points elsewhere wins when that line is on another branch, or (explicit) when it
 * was written after it. -1 when there is no conversation.
 */
export function leafOf(state: SessionState): number {
  const { graph } = state.log;
  const { pointer } = state;
  const last = graph.last;
  if (last < 0) return last;
  if (pointer === undefined) return isOld(state.version) ? newest(state) : last;
  const pointed = graph.byUuid.get(pointer.leaf);
  if (pointed === undefined) return last;
  if (graph.descends(last, pointed)) return pointer.explicit && state.lastLine < pointer.line ? pointed : last;
  return graph.descends(pointed, last) ? last : pointed;
}

/** Clients until 2.1.50 went by time. On one branch that is the same line; on two, the newer one was shown. */
function newest(state: SessionState): number {
  const { graph } = state.log;
  const target = state.newest?.seq ?? graph.last;
  return graph.descends(graph.last, target) ? graph.last : target;
}

function isOld(version: string | undefined): boolean {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version ?? '');
  if (parts === null) return false;
  for (const [i, limit] of NEWEST_TIME_UNTIL.entries()) {
    const part = Number(parts[i + 1]);
    if (part !== limit) return part < limit;
  }
  return true;
}

/** Says in the log where the branch ends, where that is not its last conversation event (which is what readers assume). */
export function putLeaf(state: SessionState): void {
  const { graph } = state.log;
  const leaf = leafOf(state);
  const { saidLeaf } = state;
  const assumed = saidLeaf?.after === graph.lastCore ? saidLeaf.leaf : graph.lastCore;
  if (leaf < 0 || graph.core(leaf) === graph.core(assumed)) return;
  state.saidLeaf = { leaf, after: graph.lastCore };
  state.log.aside({ type: 'meta', actor: 'system', level: 0, payload: { key: 'leaf', value: leaf } }, -1, null);
}
