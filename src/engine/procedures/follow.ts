import { stat } from 'node:fs/promises';
import type { AppEvent } from '../../shared/api.ts';
import { storePath } from '../keys/home-file.ts';
import type { StoreReader } from '../store/contract.ts';

const EVERY_MS = 1500;
/** Changes of more sessions at once are told by the newest of them: whoever lists looks again anyway. */
const NEWEST = 50;

/**
 * Notices what other processes (the CLI, a second app) put into the store and tells it like our own changes. While
 * nothing is written it costs one look at a file's time.
 */
export function followStore(home: string, reader: StoreReader, emit: (event: AppEvent) => void): () => Promise<void> {
  let known: Map<string, number> | null = null;
  let receipts = 0;
  return onStoreChange(home, EVERY_MS, async () => {
    const { rows } = await reader.sessions({ sort: 'recent', subagents: true, empty: true, offset: 0, limit: NEWEST });
    const { total, rows: newest } = await reader.receipts({ offset: 0, limit: 1 });
    for (const { id, events } of rows) {
      const before = known?.get(id);
      if (known === null || before === events) continue;
      emit({ topic: 'session', id, change: before === undefined ? 'added' : 'appended', head_seq: events - 1 });
    }
    if (known !== null && total > receipts && newest[0]) emit({ topic: 'receipt', id: newest[0].id });
    known = new Map(rows.map(({ id, events }) => [id, events]));
    receipts = total;
  });
}

/** Calls `react` at once, and whenever anything was written to the store, by whomever. Returns the function that ends it. */
export function onStoreChange(home: string, everyMs: number, react: () => Promise<void>): () => Promise<void> {
  let stamp = '';
  let working: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    const wal = await stat(`${storePath(home)}-wal`).catch(() => null);
    const now = `${wal?.mtimeMs} ${wal?.size}`;
    if (now === stamp) return;
    stamp = now;
    await react();
  };
  const timer = setInterval(() => {
    working = working.then(look).catch(() => {});
  }, everyMs);
  timer.unref();
  working = look().catch(() => {});
  return async () => {
    clearInterval(timer);
    await working;
  };
}
