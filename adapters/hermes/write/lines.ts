import { createHash } from 'node:crypto';
import { AppFailure } from '../../../src/shared/errors.ts';
import { readJsonl } from '../../io/jsonl.ts';
import { isObject, type Json } from '../json.ts';

/** A line of the private file between `write` and `commit`. */
export interface RowLine {
  table: 'sessions' | 'messages';
  row: Json;
}

/** Streams the rows of such a file. @throws AppFailure when a line is none: somebody has changed the file */
export function* readLines(temp: string): Generator<RowLine, void> {
  const lines = readJsonl(temp, { redactor: null });
  for (;;) {
    const step = lines.next();
    if (step.done === true) {
      if (step.value.pending !== null) throw damaged(temp, step.value.pending.line);
      return;
    }
    for (const { records, damage, line } of step.value) {
      const [record] = records;
      if (damage.length > 0 || !isObject(record) || !isObject(record.row)) throw damaged(temp, line);
      if (record.table !== 'sessions' && record.table !== 'messages') throw damaged(temp, line);
      yield { table: record.table, row: record.row };
    }
  }
}

function damaged(path: string, line: number): AppFailure {
  return new AppFailure({
    code: 'readback_mismatch',
    message: `Line ${line} of ${path} is not what was written there. Nothing was put in place.`,
    details: { path, line },
  });
}

/** What of a message tells whether the session was gone on with: columns that every version has and keeps as they are. */
const LASTING = ['role', 'content', 'tool_call_id', 'tool_calls', 'tool_name', 'timestamp'] as const;

/** Digest of the messages of such a file, in its order. */
export function digestOfLines(temp: string): string {
  const hash = createHash('sha256');
  for (const { table, row } of readLines(temp)) if (table === 'messages') hash.update(messageLine(row));
  return hash.digest('hex');
}

export function messageLine(row: Json): string {
  return `${JSON.stringify(LASTING.map((name) => row[name] ?? null))}\n`;
}
