import type { ImportProgress, ImportSummary } from '../engine/capture/contract.ts';
import type { Engine } from '../engine/engine.ts';
import type { AppError, ErrorCode, Result } from '../shared/errors.ts';
import type { Cli } from './command.ts';
import { bytes, number } from './format.ts';

/** Reads what is new in the enabled sources, with progress on a terminal. Without enabled sources it does nothing. */
export async function scan(cli: Cli, engine: Engine): Promise<Result<ImportSummary>> {
  const result = await engine.local.import({}, (progress) => showProgress(cli, progress), cli.signal);
  cli.output.clearProgress();
  return result;
}

/** What keeps new sessions from being stored, but not the known ones from being shown. */
const STILL_READABLE: ReadonlySet<ErrorCode> = new Set(['store_busy', 'store_full', 'store_read_only']);

/** A scan before something is shown. What known sessions can be shown without is a remark, all else the error. */
export async function scanFirst(cli: Cli, engine: Engine): Promise<AppError | undefined> {
  const scanned = await scan(cli, engine);
  if (scanned.ok) return undefined;
  if (!STILL_READABLE.has(scanned.error.code)) return scanned.error;
  cli.output.note(`Nothing new was read: ${scanned.error.message}`);
  return undefined;
}

export function showProgress(cli: Cli, { done, total, bytes: read, events }: ImportProgress): void {
  // most scans find nothing new, and are over at once
  if (total === 0) return;
  cli.output.progress(
    `Reading ${number(done)} of ${number(total)} sources · ${bytes(read)} · ${number(events)} events`,
  );
}
