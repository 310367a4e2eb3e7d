/**
 * One vocabulary of error codes for the CLI, the app's contract and the engine.
 * The codes are those of the project's handoff protocol (docs/errors.md), plus the ones that reading files needs.
 */
export const ERROR_CODES = [
  // asking
  'invalid_request',
  'not_found',
  'selection_required',
  'scope_denied',
  'cancelled',
  // store and keys
  'store_uninitialised',
  'store_busy',
  'store_corrupt',
  'store_read_only',
  'store_version_too_new',
  'store_full',
  'key_missing',
  'key_wrong',
  'key_locked',
  'chain_broken',
  'signature_invalid',
  // sources
  'source_not_enabled',
  'source_unreadable',
  'source_withdrawn',
  'source_still_running',
  'ingestion_incomplete',
  'not_a_session',
  'no_conversation',
  'unknown_cwd',
  // operations
  'operation_id_conflict',
  'p0_over_budget',
  'window_exceeded',
  'target_unavailable',
  'target_unsupported',
  'target_exists',
  'write_failed',
  'readback_mismatch',
  'register_failed',
  'recovery_required',
  'internal',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** An error as a value. `message` says what failed and what to do; `details` is JSON for programs. */
export interface AppError {
  code: ErrorCode;
  message: string;
  details?: Record<string, unknown>;
}

export type Result<T, E = AppError> = { ok: true; value: T } | { ok: false; error: E };

export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value });

/** Builds a failed result. */
export function fail(
  code: ErrorCode,
  message: string,
  details?: Record<string, unknown>,
): { ok: false; error: AppError } {
  return { ok: false, error: details === undefined ? { code, message } : { code, message, details } };
}

/** Carries an AppError through code that throws (workers, transports). Caught at the edges, never shown as a stack. */
export class AppFailure extends Error {
  readonly error: AppError;
  constructor(error: AppError) {
    super(error.message);
    this.name = 'AppFailure';
    this.error = error;
  }
}

/** The value of a result, or its error thrown as AppFailure. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new AppFailure(result.error);
}

/** Any thrown thing as an AppError; unknown ones become `internal` with their message. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppFailure) return thrown.error;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    code: 'internal',
    message: `Unexpected failure: ${message}. Please report it with the command that caused it.`,
  };
}

/** Process exit codes of the CLI: 0 done, 1 refused or failed, 2 bad arguments, 3 ambiguous, 4 corrupt, 130 stopped. */
export function exitCodeOf(code: ErrorCode): 1 | 2 | 3 | 4 | 130 {
  if (code === 'cancelled') return 130;
  if (code === 'invalid_request') return 2;
  if (code === 'selection_required') return 3;
  if (code === 'store_corrupt' || code === 'chain_broken' || code === 'signature_invalid') return 4;
  return 1;
}
