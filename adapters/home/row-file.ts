import { open } from 'node:fs/promises';
import { unwrap } from '../../src/shared/errors.ts';
import { createPrivateFile, type PrivateFile, type SealedFile } from '../io/write.ts';

/** A private file of rows between `write` and `commit`, one JSON value a line; some of them can be read again in another order. */
export class RowFile {
  readonly #file: PrivateFile;
  readonly #index: { key: readonly [number, string]; at: number; length: number }[] = [];
  #at = 0;

  constructor(file: PrivateFile) {
    this.#file = file;
  }

  /** @throws AppFailure what createPrivateFile gives */
  static async create(final: string): Promise<RowFile> {
    return new RowFile(unwrap(await createPrivateFile(final)));
  }

  /** `key`: place of the row in `inOrder`, by number, then by text; absent = it is not among those. */
  async add(line: unknown, key?: readonly [number, string]): Promise<void> {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    if (key !== undefined) this.#index.push({ key, at: this.#at, length: bytes.length });
    this.#at += bytes.length;
    await this.#file.write(bytes);
  }

  /** @throws AppFailure `write_failed` */
  async seal(): Promise<SealedFile> {
    return unwrap(await this.#file.seal());
  }

  abort(): Promise<void> {
    return this.#file.abort();
  }

  /** The rows with keys, in the order of those; behind `seal`. */
  async *inOrder(): AsyncGenerator<unknown> {
    const file = await open(this.#file.temp, 'r');
    try {
      for (const { at, length } of this.#index.sort((a, b) => a.key[0] - b.key[0] || (a.key[1] < b.key[1] ? -1 : 1))) {
        const { buffer } = await file.read(Buffer.alloc(length), 0, length, at);
        yield JSON.parse(buffer.toString());
      }
    } finally {
      await file.close();
    }
  }
}
