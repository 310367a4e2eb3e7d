import { ok } from '../../../src/shared/errors.ts';
import { requireCwd } from '../../conversation/write.ts';
import { jsonlHome } from '../../home/jsonl.ts';
import type { Move } from '../../home/move.ts';
import { realFolder } from '../../io/real-folder.ts';
import { isObject } from '../json.ts';
import { sessionPath } from '../places.ts';
import { rebuildRecords } from '../rebuild.ts';

/** Sessions of Pi as they were: the whole tree, with labels, edits and what extensions keep. */
export const piHome = jsonlHome({
  label: 'Pi',
  final: (_session, { env, cwd, nativeId, at }) => {
    const named = requireCwd(cwd);
    return named.ok ? ok(sessionPath(env, realFolder(named.value), nativeId, at)) : named;
  },
  records: rebuildRecords,
  moved,
});

/** The header alone names the session and its folder; ids of entries stay, as they do when Pi itself copies a session. */
function moved(record: unknown, move: Move): unknown {
  if (!isObject(record) || record.type !== 'session') return record;
  const { id, cwd } = record;
  return {
    ...record,
    ...(id === undefined ? {} : { id: move.id(id) }),
    ...(cwd === undefined ? {} : { cwd: move.folder(cwd) }),
  };
}
