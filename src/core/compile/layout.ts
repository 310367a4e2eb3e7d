import { charFloor } from '../text.ts';

/** Lines that Gemini CLI and OpenCode read whole: they cut at 2,000 characters. */
const LINE_CHARS = 1_990;

/** The page as an agent reads it whole: for those that cut long lines, these are broken at a space. */
export function laidOut(agent: string, text: string): string {
  if (agent !== 'gemini' && agent !== 'opencode') return text;
  return text
    .split('\n')
    .map((line) => (line.length < LINE_CHARS ? line : broken(line)))
    .join('\n');
}

function broken(line: string): string {
  const parts: string[] = [];
  let rest = line;
  while (rest.length >= LINE_CHARS) {
    const space = rest.lastIndexOf(' ', LINE_CHARS - 1);
    const at = space > LINE_CHARS / 2 ? space + 1 : charFloor(rest, LINE_CHARS - 1);
    parts.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...parts, rest].join('\n');
}
