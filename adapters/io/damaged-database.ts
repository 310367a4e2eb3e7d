import { AppFailure, fail, type Result, toAppError } from '../../src/shared/errors.ts';

/**
 * What was thrown while an agent's database was read, as an error: that of an AppFailure; `source_unreadable` with `advice`
 * where SQLite met a damaged page, which can turn up at any read; else an unexpected one.
 */
export function databaseFailure(path: string, thrown: unknown, advice: string): Result<never> {
  if (thrown instanceof AppFailure) return { ok: false, error: thrown.error };
  const code = (thrown as { code?: unknown } | null)?.code;
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return { ok: false, error: toAppError(thrown) };
  return fail('source_unreadable', `${path} is damaged (${code}). ${advice}`, { path });
}
