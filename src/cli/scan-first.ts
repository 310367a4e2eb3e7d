import type { Engine } from '../engine/engine.ts';
import type { AppError, ErrorCode } from '../shared/errors.ts';
import type { Cli } from './command.ts';
import { scan } from './scan.ts';

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
