/** One answer of the engine: how many rows there are in all, and the rows asked for. */
export interface Page<T> {
  total: number;
  rows: readonly T[];
}

interface Options<T> {
  pageSize: number;
  /** how many rows are kept at most; pages far from what is looked at are forgotten first */
  keep: number;
  fetch(from: number, limit: number, signal: AbortSignal): Promise<Page<T>>;
  onError(thrown: unknown): void;
}

/**
 * A window on a list that stays in the engine: the total is known, rows come by page as they are looked at, and no more
 * than `keep` of them are held. Changed pages keep showing their old rows until the new ones are here.
 */
export class PagedWindow<T> {
  #options: Options<T>;
  #rows = new Map<number, T>();
  #stale = new Set<number>();
  #loading = new Map<number, AbortController>();
  #total: number | null = null;
  #looked: [number, number] = [0, 0];
  #wanted: readonly number[] = [];
  #version = 0;
  #listeners = new Set<() => void>();
  #closed = false;

  constructor(options: Options<T>) {
    this.#options = options;
  }

  /** Rows in all, or null before the first answer. */
  get total(): number | null {
    return this.#total;
  }

  get held(): number {
    return this.#rows.size;
  }

  get(index: number): T | undefined {
    return this.#rows.get(index);
  }

  /** Index of the first held row that fits, or null. */
  find(fits: (row: T) => boolean): number | null {
    for (const [index, row] of this.#rows) if (fits(row)) return index;
    return null;
  }

  /** Changes with every change of rows or total: for useSyncExternalStore. */
  readonly version = (): number => this.#version;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Loads what is missing or changed of the rows first..last (inclusive); loads of rows left behind are given up. */
  ensure(first: number, last: number): void {
    this.#looked = [Math.max(0, first), Math.max(0, last)];
    this.#want(this.#pagesOf(this.#looked));
  }

  /** The same for rows that lie apart, in ascending order. */
  ensureEach(indexes: readonly number[]): void {
    this.#looked = [indexes[0] ?? 0, indexes.at(-1) ?? 0];
    this.#want([...new Set(indexes.map((index) => Math.floor(index / this.#options.pageSize)))]);
  }

  #want(wanted: readonly number[]): void {
    if (this.#closed) return;
    this.#wanted = wanted;
    for (const [page, controller] of this.#loading) {
      if (!wanted.includes(page)) {
        controller.abort();
        this.#loading.delete(page);
      }
    }
    for (const page of wanted) {
      if (!this.#loading.has(page) && (this.#stale.has(page) || !this.#isWhole(page))) void this.#load(page);
    }
  }

  /** Takes rows that came with another answer. */
  seed(from: number, page: Page<T>): void {
    this.#total = page.total;
    page.rows.forEach((row, i) => {
      this.#rows.set(from + i, row);
    });
    this.#forget();
    this.#changed();
  }

  /** Rows from `from` on may have changed: those looked at are loaded again now, the others when they are looked at. */
  invalidate(from = 0): void {
    const first = Math.floor(from / this.#options.pageSize);
    for (const index of this.#rows.keys()) {
      const page = Math.floor(index / this.#options.pageSize);
      if (page >= first) this.#stale.add(page);
    }
    // a page without rows changes too: an empty list gets its first
    for (const page of this.#wanted) if (page >= first) this.#stale.add(page);
    for (const [page, controller] of this.#loading) {
      if (page >= first) {
        controller.abort();
        this.#loading.delete(page);
      }
    }
    this.#want(this.#wanted);
  }

  close(): void {
    this.#closed = true;
    for (const controller of this.#loading.values()) controller.abort();
    this.#loading.clear();
    this.#listeners.clear();
  }

  #pagesOf([first, last]: [number, number]): number[] {
    const end = this.#total === null ? last : Math.min(last, Math.max(0, this.#total - 1));
    const pages: number[] = [];
    for (let page = Math.floor(first / this.#options.pageSize); page * this.#options.pageSize <= end; page += 1)
      pages.push(page);
    return pages;
  }

  #isWhole(page: number): boolean {
    const from = page * this.#options.pageSize;
    const to = this.#total === null ? from + 1 : Math.min(from + this.#options.pageSize, this.#total);
    for (let index = from; index < to; index += 1) if (!this.#rows.has(index)) return false;
    return this.#total !== null;
  }

  async #load(page: number): Promise<void> {
    const controller = new AbortController();
    this.#loading.set(page, controller);
    const from = page * this.#options.pageSize;
    try {
      const answer = await this.#options.fetch(from, this.#options.pageSize, controller.signal);
      if (this.#loading.get(page) !== controller) return;
      this.#loading.delete(page);
      this.#stale.delete(page);
      this.#accept(from, answer);
    } catch (thrown) {
      if (this.#loading.get(page) !== controller) return;
      this.#loading.delete(page);
      this.#stale.delete(page);
      this.#options.onError(thrown);
    }
  }

  #accept(from: number, answer: Page<T>): void {
    if (this.#total !== null && answer.total < this.#total) {
      for (const index of [...this.#rows.keys()]) if (index >= answer.total) this.#rows.delete(index);
    }
    this.seed(from, answer);
  }

  #forget(): void {
    if (this.#rows.size <= this.#options.keep) return;
    const middle = (this.#looked[0] + this.#looked[1]) / 2;
    const isWanted = (index: number) => this.#wanted.includes(Math.floor(index / this.#options.pageSize));
    const far = [...this.#rows.keys()]
      .filter((index) => !isWanted(index))
      .sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle));
    for (const index of far.slice(0, this.#rows.size - this.#options.keep)) this.#rows.delete(index);
  }

  #changed(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
