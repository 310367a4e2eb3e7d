/**
 * Sessions that go on from the beginning of another one without copying it: `base` is the number of that session, `events`
 * how many of its events come first, `tip` the one of them on which what follows hangs. Never changed once it is there.
 */
export const inheritance = `
CREATE TABLE inheritance(
  id INTEGER PRIMARY KEY,
  base INTEGER NOT NULL,
  events INTEGER NOT NULL,
  tip INTEGER
);
`;
