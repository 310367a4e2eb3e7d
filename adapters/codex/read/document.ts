/**
 * The first client (TypeScript, before 0.2) rewrote one indented JSON document with each answer:
 * `{"session": {timestamp, id, instructions}, "items": [...]}`. Its session and its items are what 0.8 then wrote as bare lines.
 */

/** `  "session": {` or `    {`: what begins a record, as the client indents it, and how its end is indented. */
const BEGIN = /^( {2})"session": (\{.*)$|^( {4})(\{.*)$/;

/**
 * The document as lines, a record on the line on which it begins, those below it blank: numbers of lines stay, damage costs
 * its own record alone, and a document that has grown only has more lines. A record that is cut off ends without a line feed.
 */
export function documentLines(bytes: Uint8Array): Buffer {
  // one character a byte, so that no byte is changed
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const out: string[] = [];
  let last = 0;
  let open: { at: number; end: RegExp; text: string } | null = null;
  for (const line of text.split('\n')) {
    const begin = BEGIN.exec(line);
    if (begin !== null) {
      // a record whose end was lost stays where it stands, as it is
      if (open !== null) out[open.at] = open.text;
      const indent = begin[1] ?? begin[3] ?? '';
      open = { at: out.length, end: new RegExp(`^${indent}\\},?\\s*$`), text: begin[2] ?? begin[4] ?? '' };
      last = out.push('');
      continue;
    }
    out.push('');
    if (open === null) continue;
    const ends = open.end.test(line);
    open.text += ends ? line.replace(/,\s*$/, '') : line;
    if (!ends) continue;
    out[open.at] = open.text;
    open = null;
    last = out.length;
  }
  if (open !== null) return Buffer.from([...out.slice(0, open.at), open.text].join('\n'), 'latin1');
  if (last === 0) return compact(bytes, text);
  return Buffer.from(`${out.slice(0, last).join('\n')}\n`, 'latin1');
}

/** A document that is not indented, or none at all: then the whole of it is one damaged line. */
function compact(bytes: Uint8Array, text: string): Buffer {
  try {
    const { session, items } = JSON.parse(new TextDecoder().decode(bytes)) as { session: unknown; items: unknown[] };
    return Buffer.from(`${[session, ...items].map((record) => JSON.stringify(record)).join('\n')}\n`);
  } catch {
    return Buffer.from(`${text.replaceAll('\n', ' ')}\n`, 'latin1');
  }
}
