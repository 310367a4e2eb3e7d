import type { SessionRow } from '../../shared/session.ts';
import { sessionUri } from '../log/manifest.ts';

/** Where a compiled context comes from: enough to find the whole history again, and to see that it is the same. */
export interface Origin {
  row: Pick<
    SessionRow,
    'id' | 'agent' | 'native_id' | 'title' | 'model' | 'cwd' | 'git_branch' | 'last_activity' | 'status'
  >;
  /** the last event that was looked at */
  head: { seq: number; checksum: string };
}

/** A reference to the full history; never the history itself. */
export function historyOf({ row, head }: Origin) {
  return {
    kind: 'session' as const,
    session: row.id,
    uri: sessionUri(row),
    agent: row.agent,
    native_id: row.native_id,
    head_seq: head.seq,
    checksum: head.checksum,
    command: `sessionctl show ${row.id} --seq <n>`,
  };
}
