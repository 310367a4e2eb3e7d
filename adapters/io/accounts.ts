/** Sums of one capture; each record ends in exactly one of them (checked by the engine). */
export class Accounts {
  records = 0;
  mapped = 0;
  unreadable = 0;
  readonly unknown: Record<string, number> = {};
  readonly declared: Record<string, number> = {};

  /** Left out on purpose. */
  declare(kind: string, count = 1): void {
    this.declared[kind] = (this.declared[kind] ?? 0) + count;
  }

  noteUnknown(kind: string): void {
    this.unknown[kind] = (this.unknown[kind] ?? 0) + 1;
  }
}
