import type { StoreArtifact } from '../../io/cut-text.ts';
import { isObject } from './item.ts';
import type { ThreadLog } from './log.ts';

/*
 * A rollout says most things twice or more, and events keep one of them. So that a thread can be written again (rebuild.ts),
 * its records are kept behind the events that they gave, a batch at a time: the store packs both together, and what stands
 * in both costs little. Marks in them, objects with one member:
 *   $text  artifact with a long text     $data  artifact with the bytes of a data URL, `head` in front
 *   $json  artifact with a large record  $own   members of an object that has such a name itself
 */

/** Longer texts become artifacts: of a long output there is one already. */
const LONG = 8192;
/** A record that is larger in spite of that lies apart. */
const LARGE = 1 << 16;
/** Bytes of lines after which a batch is closed, so that no reader of events has to take more. */
const BATCH = 1 << 15;
const DATA_URL = /^data:([a-z]+\/[a-z0-9.+-]+);base64,/i;
const MARKS: readonly string[] = ['$text', '$data', '$json', '$own'];

/** Gathers the records of the thread's own files. */
export class Keeper {
  readonly #log: ThreadLog;
  readonly #store: StoreArtifact;
  #records: unknown[] = [];
  #bytes = 0;

  constructor(log: ThreadLog, store: StoreArtifact) {
    this.#log = log;
    this.#store = store;
  }

  /** `bytes`: length of the lines. Records are redacted. */
  add(records: readonly unknown[], bytes: number): void {
    for (const record of records) this.#records.push(this.#small(record, bytes));
    this.#bytes += bytes;
    if (this.#bytes >= BATCH) this.flush();
  }

  flush(): void {
    if (this.#records.length > 0) this.#log.meta('records', this.#records);
    this.#records = [];
    this.#bytes = 0;
  }

  #small(record: unknown, bytes: number): unknown {
    const small = shrink(record, this.#store);
    if (bytes < LARGE) return small;
    const text = JSON.stringify(small);
    return text.length < LARGE ? small : { $json: this.#store(Buffer.from(text), 'application/json') };
  }
}

function shrink(value: unknown, store: StoreArtifact): unknown {
  if (typeof value === 'string') return shrinkText(value, store);
  if (Array.isArray(value)) return value.map((item) => shrink(item, store));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, shrink(item, store)] as const);
  if (MARKS.some((mark) => Object.hasOwn(value, mark))) return { $own: entries };
  return Object.fromEntries(entries);
}

function shrinkText(text: string, store: StoreArtifact): unknown {
  const [head, mediaType] = DATA_URL.exec(text) ?? [];
  if (head !== undefined && mediaType !== undefined) {
    const bytes = Buffer.from(text.slice(head.length), 'base64');
    if (head + bytes.toString('base64') === text) return { $data: store(bytes, mediaType.toLowerCase()), head };
  }
  return text.length < LONG || !text.isWellFormed() ? text : { $text: store(Buffer.from(text), 'text/plain') };
}
