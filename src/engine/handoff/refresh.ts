import { stat } from 'node:fs/promises';
import { AppFailure } from '../../shared/errors.ts';
import type { OpenHome } from '../procedures/context.ts';

/**
 * Reads what the source agent has written since the last capture, so that nothing said a moment ago is missing. A source
 * that is gone or cannot be read now is no hindrance: the store's copy is carried.
 */
export async function refreshSource({ store, capture }: OpenHome, session: string): Promise<void> {
  const row = await store.reader.session(session);
  if (!row) throw new AppFailure({ code: 'not_found', message: `The session ${session} is no longer in the store.` });
  const found = row.source === null ? null : await stat(row.source).catch(() => null);
  if (row.source === null || !found) return;
  const known = (await store.reader.sourceStates(row.agent)).find(({ path }) => path === row.source);
  if (known?.size === found.size && known.mtime_ms === found.mtimeMs) return;
  await capture.import({ path: row.source });
}
