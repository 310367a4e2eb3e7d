import { lstat } from 'node:fs/promises';
import { databasePath } from '../../../adapters/io/database-path.ts';
import { ok, type Result } from '../../shared/errors.ts';
import type { Store } from '../store/contract.ts';
import type { Capture, ImportRequest, ImportSummary } from './contract.ts';

/*
 * Sessions that we wrote and have not read into the store yet. The list stands in the store, so that a killed process
 * leaves it: the next scan of all sources reads them, whether their agent's sources are enabled or not.
 */

const UNREAD = 'captures.unread';

export async function unreadSources(store: Pick<Store, 'reader'>): Promise<string[]> {
  const list = await store.reader.setting(UNREAD);
  return Array.isArray(list) ? list.filter((path): path is string => typeof path === 'string') : [];
}

/** Settings of a decision that puts a path on the list, or takes it off. */
export async function unreadList(
  store: Pick<Store, 'reader'>,
  path: string,
  unread: boolean,
): Promise<Record<string, unknown>> {
  const others = (await unreadSources(store)).filter((other) => other !== path);
  return { [UNREAD]: unread ? [...others, path] : others };
}

/** Reads what is on the list. What cannot be read now stays on it; what is gone from the disk does not. */
export async function readUnread(
  store: Pick<Store, 'reader' | 'writer'>,
  capture: Pick<Capture, 'import'>,
  onProgress?: Parameters<Capture['import']>[1],
  signal?: AbortSignal,
): Promise<ImportSummary[]> {
  const read: ImportSummary[] = [];
  for (const path of await unreadSources(store)) {
    const there = await lstat(databasePath(path)?.file ?? path).then(
      () => true,
      () => false,
    );
    const summary = there ? await capture.import({ path }, onProgress, signal) : null;
    if (summary?.ok === false) continue;
    if (summary !== null) read.push(summary.value);
    await store.writer.decide({ settings: await unreadList(store, path, false) });
  }
  return read;
}

/** A capture whose scan of all sources reads the unread sessions too. */
export function withUnread(store: Store, capture: Capture): Capture {
  return {
    ...capture,
    import: async (request, onProgress, signal) => {
      const summary = await capture.import(request, onProgress, signal);
      if (!summary.ok || !isScan(request)) return summary;
      return summed(summary.value, await readUnread(store, capture, onProgress, signal));
    },
  };
}

const isScan = ({ agent, path }: ImportRequest): boolean => agent === undefined && path === undefined;

function summed(whole: ImportSummary, parts: ImportSummary[]): Result<ImportSummary> {
  for (const part of parts) {
    for (const key of ['done', 'total', 'bytes', 'events', 'unchanged', 'dropped_warnings'] as const)
      whole[key] += part[key];
    whole.changed = [...new Set([...whole.changed, ...part.changed])];
    whole.warnings = [...whole.warnings, ...part.warnings];
  }
  whole.sessions_changed = whole.changed.length;
  return ok(whole);
}
