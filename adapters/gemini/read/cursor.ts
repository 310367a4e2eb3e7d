import type { RedactionState } from '../../../src/core/redact/secret-ids.ts';
import type { NativeParent } from '../../contract.ts';
import type { FileMark } from '../../io/files.ts';
import type { JsonlCursor } from '../../io/jsonl.ts';
import type { ReadState } from './state.ts';

/** Where the next capture of a session goes on. JSON. */
export interface GeminiCursor extends Record<string, unknown> {
  version: 1;
  /** the file that was read: a document is continued in a file of lines beside it */
  file: string;
  mark: FileMark;
  at: JsonlCursor;
  /** null = no conversation so far, nothing was written */
  session: { native_id: string; parent: NativeParent | null; state: ReadState } | null;
  /** place of a torn last line that was told, or the number of damaged pieces of a document */
  torn: number | null;
  /** how often a document was read */
  writings: number;
  redaction: RedactionState;
}
