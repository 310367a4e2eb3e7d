import type { AgentEnv, NativeSource, OpenDatabase, SessionAdapter } from '../../../adapters/contract.ts';
import { ok, type Result } from '../../shared/errors.ts';
import type { Warning } from '../../shared/events.ts';
import type { Found } from './find-sources.ts';
import type { SourceCapture, StoreRpc } from './source-capture.ts';

/** What a database holds that is to be captured. */
export interface FoundInDatabase {
  sessions: Found[];
  /** sessions that have not changed since the last time */
  unchanged: number;
  warnings: Warning[];
  /** Says that all of `sessions` were captured, so that the next look begins there. Commits with the next flush. */
  done(): Promise<void>;
  close(): Promise<void>;
}

interface Surroundings {
  env: AgentEnv;
  rpc: StoreRpc;
  captures: SourceCapture;
  signal?: AbortSignal;
}

/**
 * Opens a database in which an agent keeps its sessions, and tells which have changed. Each of them is then a source of
 * its own, with its own cursor: one that cannot be read stops no other.
 */
export async function openFound(around: Surroundings, found: Found): Promise<Result<FoundInDatabase>> {
  const { adapter, source, only } = found;
  const start = await around.rpc.call('begin', source.path);
  const options = {
    env: around.env,
    redactionKey: around.captures.redactionKey,
    ...(around.signal && { signal: around.signal }),
    ...(only !== undefined && { only }),
  };
  const opened = await openDatabase(
    adapter,
    source,
    only === undefined ? (start.source?.cursor ?? null) : null,
    options,
  );
  if (!opened.ok) return opened;
  const { changed, unchanged, cursor, warnings, capture, close } = opened.value;
  const reader = { ...adapter, capture };
  const done = async () => {
    if (only !== undefined) return;
    const noted = { ...adapter, capture: async () => ok({ cursor, ...NO_RECORDS }) };
    await around.captures.capture(noted, source, start.source !== null);
  };
  return ok({ sessions: changed.map((one) => ({ adapter: reader, source: one })), unchanged, warnings, done, close });
}

const NO_RECORDS = { records: 0, mapped: 0, unknown: {}, declared: {}, unreadable: 0, redactions: {}, warnings: [] };

function openDatabase(
  adapter: SessionAdapter,
  source: NativeSource,
  cursor: Parameters<NonNullable<SessionAdapter['openDatabase']>>[1],
  options: Parameters<NonNullable<SessionAdapter['openDatabase']>>[2],
): Promise<Result<OpenDatabase>> {
  if (adapter.openDatabase === undefined) throw new Error(`${adapter.id} names a database but cannot open one`);
  return adapter.openDatabase(source, cursor, options);
}
