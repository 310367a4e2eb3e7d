import type { StoreReader } from '../store/contract.ts';

/** What was derived from the sessions looked at last, by store and session; the one that was set longest ago goes first. */
export class Kept<T> {
  readonly #most: number;
  readonly #stores = new WeakMap<StoreReader, Map<string, T>>();

  constructor(most: number) {
    this.#most = most;
  }

  get(reader: StoreReader, id: string): T | undefined {
    return this.#stores.get(reader)?.get(id);
  }

  set(reader: StoreReader, id: string, value: T): T {
    const values = this.#stores.get(reader) ?? new Map<string, T>();
    this.#stores.set(reader, values);
    values.delete(id);
    values.set(id, value);
    const [oldest] = values.keys();
    if (values.size > this.#most && oldest !== undefined) values.delete(oldest);
    return value;
  }
}
