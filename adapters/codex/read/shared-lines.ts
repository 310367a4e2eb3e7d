import { readJsonl } from '../../io/jsonl.ts';
import { isObject } from './item.ts';
import { unpacked } from './rollouts.ts';

/**
 * Number of the first line of a legacy fork that is not its parent's: behind its own header stand the parent's lines from the
 * first one on, as they were but for their times. null = not known: the parent is not there or cannot be read, or Codex
 * may still be copying.
 */
export function sharedLines(fork: string, parent: string | undefined): number | null {
  if (parent === undefined) return null;
  const theirs = contents(parent);
  try {
    let last = 0;
    for (const [line, content] of contents(fork)) {
      if (line === 0) continue;
      const next = theirs.next();
      if (next.done === true || next.value[1] !== content) return line;
      last = line;
    }
    return theirs.next().done === true ? last + 1 : null;
  } catch {
    return null;
  } finally {
    theirs.return(undefined);
  }
}

/** Each record with the number of its line, without its time. */
function* contents(path: string): Generator<[line: number, content: string], undefined> {
  for (const batch of readJsonl(path, { redactor: null, content: unpacked(path) }))
    for (const { records, line } of batch)
      for (const record of records)
        yield [line - 1, isObject(record) ? JSON.stringify([record.type, record.payload]) : JSON.stringify(record)];
  return undefined;
}
