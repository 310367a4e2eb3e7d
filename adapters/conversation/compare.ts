import { AppFailure, ok, type Result } from '../../src/shared/errors.ts';

/** A written session as it was read back, and how its pieces are held against what was to be carried. */
export interface ReadBack<Expected, Found extends { line: number }> {
  /** file that was read */
  path: string;
  found: Iterator<Found, unknown>;
  expected: AsyncIterable<Expected>;
  matches(expected: Expected, found: Found): boolean;
  nameOf(piece: Expected | Found): string;
  mismatch: Mismatch;
  /** whether a piece is a part of the conversation and not a note of ours in front */
  counts?(expected: Expected): boolean;
}

/** Compares piece by piece, in order. Errors: readback_mismatch with the place and what stands there, and what reading gives. */
export async function compareInOrder<Expected, Found extends { line: number }>(
  readBack: ReadBack<Expected, Found>,
): Promise<Result<{ items: number }>> {
  const { path, found, mismatch, expected, matches, nameOf, counts = () => true } = readBack;
  try {
    let items = 0;
    for await (const piece of expected) {
      const next = found.next();
      if (next.done === true) throw mismatch(0, nameOf(piece), 'the end of the file');
      if (!matches(piece, next.value)) throw mismatch(next.value.line, nameOf(piece), nameOf(next.value));
      if (counts(piece)) items++;
    }
    const extra = found.next();
    if (extra.done !== true) throw mismatch(extra.value.line, 'the end', nameOf(extra.value));
    return ok({ items });
  } catch (error) {
    if (error instanceof AppFailure)
      return { ok: false, error: { ...error.error, details: { ...error.error.details, path } } };
    throw error;
  }
}

/** What is thrown when a piece is not what it should be. */
export type Mismatch = (line: number, expected: string, found: string) => AppFailure;

/** @param target name of the target, for people */
export const mismatchOf =
  (target: string): Mismatch =>
  (line, expected, found) => {
    const message = `The written ${target} session differs from what was to be carried, at line ${line}: expected ${expected}, found ${found}. It was not put in place.`;
    return new AppFailure({ code: 'readback_mismatch', message, details: { line, expected, found } });
  };
