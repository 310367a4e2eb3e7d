import type { UnknownRecords } from './contract.ts';
import type { Database } from './database.ts';

/** Sessions that hold records of unknown kinds, the last stored first. */
export function unknownRecords(db: Database): UnknownRecords[] {
  return db
    .prepare<[], UnknownRecords>(
      `SELECT uid AS id, agent, source, json_extract(row, '$.unknown_records') AS records FROM session
       WHERE row IS NOT NULL AND records > 0 ORDER BY session.id DESC`,
    )
    .all();
}
