/**
 * Full-text search (src/engine/search). The index holds sets of tokens by event, `session.id * 2^32 + seq` as everywhere, and
 * no text. Its tokenizer takes everything but spaces and ASCII punctuation for part of a token: what a token is was decided
 * before (src/core/search/tokens.ts), and no table of characters of another Unicode version decides again.
 *
 * Pieces of the index are merged eight at a time (SQLite's own choice is four): less is written over and over, and a look into
 * some more pieces costs nothing that is felt.
 *
 * `search_session` says how far each log is indexed. Whoever removes a session, or puts other events in the place of those
 * that were there, need not know about any of this: the triggers note it, the search leaves noted sessions out, and the
 * next to index takes their tokens out.
 */
export const search = `
CREATE VIRTUAL TABLE search USING fts5(
  words, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'"
);
INSERT INTO search(search, rank) VALUES('automerge', 8);
CREATE TABLE search_session(id INTEGER PRIMARY KEY, events INTEGER NOT NULL);
CREATE TABLE search_removed(id INTEGER PRIMARY KEY);
CREATE TABLE search_state(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

CREATE TRIGGER search_session_removed AFTER DELETE ON session BEGIN
  INSERT OR IGNORE INTO search_removed SELECT id FROM search_session WHERE id = old.id;
  DELETE FROM search_session WHERE id = old.id;
END;
CREATE TRIGGER search_session_replaced AFTER UPDATE OF events, head ON session
WHEN new.events < old.events OR (new.events = old.events AND new.head <> old.head) BEGIN
  INSERT OR IGNORE INTO search_removed SELECT id FROM search_session WHERE id = old.id;
  DELETE FROM search_session WHERE id = old.id;
END;
`;
