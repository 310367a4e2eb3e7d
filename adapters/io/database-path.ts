/** Sessions of a database are named `<database file>#<id>`, the id percent-encoded. */
const SESSION = /^(?<file>.+\.(?:db|vscdb|sqlite3?))#(?<id>[^#/\\]+)$/;

export function sessionPath(database: string, id: string): string {
  return `${database}#${encodeURIComponent(id)}`;
}

/** The parts of such a name; null for the path of a file. */
export function databasePath(path: string): { file: string; id: string } | null {
  const { file, id } = SESSION.exec(path)?.groups ?? {};
  if (file === undefined || id === undefined) return null;
  try {
    return { file, id: decodeURIComponent(id) };
  } catch {
    return null;
  }
}

/** The file on disk that a source's path means. */
export function fileOf(path: string): string {
  return databasePath(path)?.file ?? path;
}
