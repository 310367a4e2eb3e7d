import type { Accounts } from '../../io/accounts.ts';
import type { StoreArtifact } from '../../io/cut-text.ts';
import type { SessionLog } from './log.ts';

/** What every part of the reader works on. */
export interface Reading {
  log: SessionLog;
  accounts: Accounts;
  store: StoreArtifact;
  redact: (text: string) => string;
}
