/** The words and phrases of a query that are to be marked where they stand: no filters, nothing that is asked not to be there. */
export function wordsOf(query: string): string[] {
  const words: string[] = [];
  for (const [, minus, key, quoted, bare] of query.matchAll(/(-?)(?:([a-z]+):)?(?:"([^"]*)"?|([^\s"]+))/gi)) {
    const word = (quoted ?? bare ?? '').replace(/\*$/, '').trim();
    if (minus === '' && key === undefined && word !== '') words.push(word);
  }
  return [...new Set(words)];
}

/** Where the words stand in a text, in any case: [from, to) in UTF-16 units, ascending. */
export function placesOf(text: string, words: readonly string[]): [number, number][] {
  const lower = text.toLowerCase();
  // Some letters change their length with their case: then places in the one are not places in the other.
  if (lower.length !== text.length) return [];
  return words
    .flatMap((word) => {
      const wanted = word.toLowerCase();
      const places: [number, number][] = [];
      for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length))
        places.push([at, at + wanted.length]);
      return places;
    })
    .sort(([a], [b]) => a - b);
}
