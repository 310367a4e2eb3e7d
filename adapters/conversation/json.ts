/** JSON without half characters: `JSON.stringify` escapes those and no other character from \\ud800 on. Keys included. */
export function json(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\ud')) return text;
  return text.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (escaped) => (escaped.startsWith('\\ud') ? '\ufffd' : escaped));
}
