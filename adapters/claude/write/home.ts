import { basename, dirname, join } from 'node:path';
import { ok } from '../../../src/shared/errors.ts';
import { requireCwd } from '../../conversation/write.ts';
import { jsonlHome } from '../../home/jsonl.ts';
import type { Move } from '../../home/move.ts';
import { rebuildRecords } from '../rebuild.ts';
import { isObject, type Json } from '../record.ts';
import { sideFolder } from '../side-files.ts';
import { sessionPath } from './folder.ts';

/** Sessions of Claude Code as they were: branches, undone turns and the client's own notes too. */
export const claudeHome = jsonlHome({
  label: 'Claude Code',
  final: ({ row, within }, { env, cwd, nativeId }) => {
    if (within !== undefined) return ok(join(agentFolder(within.path, row.source), `${row.native_id}.jsonl`));
    const named = requireCwd(cwd);
    return named.ok ? ok(sessionPath(env, named.value, nativeId)) : named;
  },
  records: rebuildRecords,
  moved,
});

/** Sub-agents lie in the session's own folder; before 2.1 they lay beside the session. */
function agentFolder(parent: string, source: string | null): string {
  const beside = source !== null && basename(dirname(source)) !== 'subagents';
  return beside ? dirname(parent) : join(sideFolder(parent), 'subagents');
}

/** Only what the client itself notes on each line; ids of records stay, as they do when it copies a session. */
function moved(record: unknown, move: Move): unknown {
  if (!isObject(record)) return record;
  const copy: Json = { ...record };
  if ('sessionId' in copy) copy.sessionId = move.id(copy.sessionId);
  if ('session_id' in copy) copy.session_id = move.id(copy.session_id);
  if ('cwd' in copy) copy.cwd = move.folder(copy.cwd);
  return copy;
}
