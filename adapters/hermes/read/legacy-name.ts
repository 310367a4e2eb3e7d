const TRANSCRIPT = /^(\d{8}_\d{6}_[0-9a-f]{6,8}|cron_[\w-]+_\d{8}_\d{6})\.jsonl$/;
const SNAPSHOT = /^session_(.+)\.json$/;

/** Id of the session that a file of an older version holds; null for any other name. */
export function legacyId(name: string): string | null {
  return TRANSCRIPT.exec(name)?.[1] ?? SNAPSHOT.exec(name)?.[1] ?? null;
}
