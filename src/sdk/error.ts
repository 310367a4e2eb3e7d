import type { AppError, Result } from '../shared/errors.ts';
import type { ErrorCode } from './types.ts';

/** What every call of this package throws when it cannot do its work. */
export class SessionctlError extends Error {
  /** one of the codes of docs/errors.md */
  readonly code: ErrorCode;
  /** JSON for programs, e.g. `candidates` of `selection_required` */
  readonly details: Readonly<Record<string, unknown>>;

  /** @internal */
  constructor(error: { code: ErrorCode; message: string; details?: Record<string, unknown> }) {
    super(error.message);
    this.name = 'SessionctlError';
    this.code = error.code;
    this.details = error.details ?? {};
  }
}

/** The value of a result, or its error thrown. */
export function orThrow<T>(result: Result<T, AppError>): T {
  if (result.ok) return result.value;
  throw new SessionctlError(result.error);
}
