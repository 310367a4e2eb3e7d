/**
 * The first shape. `session.id` counts from 1 and stays below 2^21, so that `session.id * 2^32 + seq` fits a double:
 * segments and tail rows are found by that one number. A log is its segments, then its tail; `session.events` says where
 * it ends, and what lies behind that is debris of a killed capture. `session.row` is what lists show, `session.summary`
 * what the projector needs to go on, packed; both are null before the first commit.
 */
export const initial = `
CREATE TABLE session(
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  agent TEXT NOT NULL,
  native_id TEXT NOT NULL,
  source TEXT,
  part TEXT,
  events INTEGER NOT NULL,
  head BLOB NOT NULL,
  parent TEXT,
  parent_native TEXT,
  parent_kind TEXT,
  row TEXT,
  summary BLOB
);
CREATE INDEX session_native ON session(native_id);
CREATE INDEX session_source ON session(source);
CREATE INDEX session_parent ON session(parent) WHERE parent IS NOT NULL;
CREATE INDEX session_orphan ON session(parent_native) WHERE parent IS NULL AND parent_native IS NOT NULL;

CREATE TABLE listing(
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  at REAL,
  started REAL,
  bytes INTEGER NOT NULL,
  events INTEGER NOT NULL,
  has INTEGER NOT NULL,
  title TEXT NOT NULL,
  cwd TEXT,
  words TEXT NOT NULL
);
CREATE INDEX listing_recent ON listing(at);

CREATE TABLE segment(
  id INTEGER PRIMARY KEY,
  n INTEGER NOT NULL,
  raw INTEGER NOT NULL,
  start BLOB NOT NULL,
  head BLOB NOT NULL,
  idx BLOB,
  data BLOB NOT NULL
);
CREATE TABLE tail(
  id INTEGER PRIMARY KEY,
  type INTEGER NOT NULL,
  flags INTEGER NOT NULL,
  ts REAL,
  parent INTEGER NOT NULL,
  body BLOB NOT NULL
);
CREATE TABLE artifact(
  hash BLOB PRIMARY KEY,
  media_type TEXT NOT NULL,
  size INTEGER NOT NULL,
  packed INTEGER NOT NULL,
  data BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE source(
  path TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ms REAL NOT NULL,
  cursor TEXT,
  sessions TEXT NOT NULL,
  version INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE enabled(agent TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE setting(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE receipt(
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session TEXT NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX receipt_session ON receipt(session);
CREATE TABLE operation(
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  digest TEXT NOT NULL,
  state TEXT NOT NULL,
  step TEXT,
  data TEXT NOT NULL,
  updated REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE manifest(session TEXT PRIMARY KEY, version INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE lease(
  name TEXT PRIMARY KEY,
  token TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started TEXT,
  heartbeat REAL NOT NULL
) WITHOUT ROWID;
`;
