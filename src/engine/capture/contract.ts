import type { AgentEnv } from '../../../adapters/contract.ts';
import type { AppEvent } from '../../shared/api.ts';
import type { Result } from '../../shared/errors.ts';
import type { Warning } from '../../shared/events.ts';

/** What captures need to know of their surroundings. */
export interface CaptureEnv {
  agents: AgentEnv;
  /** `redactionKeyOf(root)` */
  redactionKey: Uint8Array;
}

/** What to import. Nothing given: all enabled sources. */
export interface ImportRequest {
  /** one agent; it must be enabled unless `path` is given too */
  agent?: string | undefined;
  /** one session file, or a folder of them, anywhere; naming it is consent, so its source need not be enabled */
  path?: string | undefined;
}

/** Counts so far. `done` of `total` are sources; unchanged ones are not in them. */
export interface ImportProgress {
  text: string;
  done: number;
  total: number;
  /** native bytes read */
  bytes: number;
  events: number;
  sessions_changed: number;
}

export interface ImportSummary extends ImportProgress {
  /** sources with the same size and time as at their last capture; they were not opened */
  unchanged: number;
  /** canonical ids of sessions that were added or have grown */
  changed: string[];
  /** what went wrong or looked odd, at most 1000; `dropped_warnings` counts the rest */
  warnings: Warning[];
  dropped_warnings: number;
}

/**
 * Reads agents' sessions into a store. Made by `createCapture(store, env)` (capture.ts); the work runs in workers.
 * Errors: invalid_request (unknown agent), source_not_enabled, not_a_session, source_unreadable, cancelled, store_full,
 * store_busy, store_read_only.
 */
export interface Capture {
  /** One job: finds, skips the unchanged, captures the rest. A source that fails becomes a warning and stops nothing. */
  import(
    request: ImportRequest,
    onProgress?: (progress: ImportProgress) => void,
    signal?: AbortSignal,
  ): Promise<Result<ImportSummary>>;
  /**
   * Follows the enabled sources until closed: a line that an agent appends is in the store within milliseconds.
   * Holds the lease "watch"; when another process has it, `heldBy` is that process' id and nothing is watched here.
   */
  watch(onEvent: (event: AppEvent) => void): Promise<Result<Watch | { heldBy: number }>>;
}

export interface Watch {
  /** Looks at the list of enabled sources again. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}
