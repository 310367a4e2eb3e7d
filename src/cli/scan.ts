import type { ImportProgress, ImportSummary } from '../engine/capture/contract.ts';
import type { Engine } from '../engine/engine.ts';
import type { Result } from '../shared/errors.ts';
import type { Cli } from './command.ts';
import { bytes, number } from './format.ts';

/** Reads what is new in the enabled sources, with progress on a terminal. Without enabled sources it does nothing. */
export async function scan(cli: Cli, engine: Engine): Promise<Result<ImportSummary>> {
  const result = await engine.local.import({}, (progress) => showProgress(cli, progress), cli.signal);
  cli.output.clearProgress();
  return result;
}

export function showProgress(cli: Cli, { done, total, bytes: read, events }: ImportProgress): void {
  // most scans find nothing new, and are over at once
  if (total === 0) return;
  cli.output.progress(
    `Reading ${number(done)} of ${number(total)} sources · ${bytes(read)} · ${number(events)} events`,
  );
}
