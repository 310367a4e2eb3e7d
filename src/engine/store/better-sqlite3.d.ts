/** The part of better-sqlite3 that the store uses; the package's own types are hidden by its `exports`. */
declare module 'better-sqlite3' {
  export interface Statement<P extends unknown[] = unknown[], R = unknown> {
    run(...parameters: P): { changes: number; lastInsertRowid: number | bigint };
    get(...parameters: P): R | undefined;
    all(...parameters: P): R[];
    iterate(...parameters: P): IterableIterator<R>;
    /** Gives the first column alone. */
    pluck(): this;
  }

  class Sqlite {
    readonly name: string;
    readonly open: boolean;
    readonly inTransaction: boolean;
    constructor(path: string, options?: { timeout?: number; fileMustExist?: boolean; readonly?: boolean });
    prepare<P extends unknown[] = unknown[], R = unknown>(sql: string): Statement<P, R>;
    transaction<T>(work: () => T): { (): T; immediate(): T };
    exec(sql: string): this;
    pragma(text: string, options?: { simple?: boolean }): unknown;
    close(): this;
  }
  export default Sqlite;
}
