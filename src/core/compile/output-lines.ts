import { cut } from './sentences.ts';

const TELLING =
  /error|fail|assert|exception|traceback|panic|fatal|expected|received|cannot|can't|undefined|not found|no such|denied|refused|timed? ?out|✗|✕|×|^E\s|错误|失败|异常|找不到|拒绝|超时/i;
const LONGEST_LINE = 300;
const MANY = 400;

/** Colours and cursor movements of a terminal. */
const ESCAPES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-_])/g;

/**
 * The lines of an output that decide, word for word and in order: those that speak of a failure, and the last ones.
 * Repeated lines count once; `[…]` stands where lines are left out. Terminal colours are no part of the words.
 */
export function decisiveLines(output: string, max: number): string[] {
  const lines = output
    .replace(ESCAPES, '')
    .split('\n')
    .map((line) => line.trimEnd());
  const first = Math.max(0, lines.length - MANY);
  const seen = new Set<string>();
  const candidates: number[] = [];
  for (let at = lines.length - 1; at >= first; at--) {
    const line = lines[at]!;
    if (line.trim() === '' || seen.has(line)) continue;
    seen.add(line);
    candidates.push(at);
  }
  const telling = candidates.filter((at) => TELLING.test(lines[at]!));
  const wanted = [...new Set([...candidates.slice(0, 2), ...telling, ...candidates])].slice(0, max);
  const shown: string[] = [];
  let before = -1;
  for (const at of wanted.sort((a, b) => a - b)) {
    const line = cut(lines[at]!, LONGEST_LINE);
    const gap = lines.slice(before + 1, at).some((left) => left.trim() !== '');
    if (gap && shown.length > 0) shown.push(`${shown.pop()} […]`);
    shown.push(gap && shown.length === 0 ? `[…] ${line}` : line);
    before = at;
  }
  return shown;
}
