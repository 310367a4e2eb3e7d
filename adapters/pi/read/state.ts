import type { StoreArtifact } from '../../io/cut-text.ts';
import type { SessionLog } from './log.ts';

/** Sums of one capture; each record ends in exactly one of them. */
export class Accounts {
  records = 0;
  mapped = 0;
  unreadable = 0;
  readonly unknown: Record<string, number> = {};
  readonly declared: Record<string, number> = {};

  declare(kind: string): void {
    this.declared[kind] = (this.declared[kind] ?? 0) + 1;
  }

  noteUnknown(kind: string): void {
    this.unknown[kind] = (this.unknown[kind] ?? 0) + 1;
  }
}

/** What every part of the reader works on. */
export interface Reading {
  log: SessionLog;
  accounts: Accounts;
  store: StoreArtifact;
  redact: (text: string) => string;
}
