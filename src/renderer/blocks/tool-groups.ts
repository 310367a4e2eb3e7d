import type { ToolCard } from '../../shared/transcript.ts';

/** One line of a tool group: a call, or several quiet reads and searches in a row. */
export type ToolLine =
  | { kind: 'call'; call: ToolCard }
  | { kind: 'group'; calls: ToolCard[]; reads: number; searches: number };

/** True for a call that failed, was refused or gave no answer: never hidden in a group, and open. */
export const failed = (call: ToolCard): boolean =>
  call.result !== null && (call.result.is_error || call.result.closed !== 'ran' || (call.result.exit_code ?? 0) !== 0);

const quiet = (call: ToolCard): boolean =>
  (call.tool === 'read' || call.tool === 'search') && call.result !== null && !failed(call);

/** Reads and searches in a row become one line; everything else stays as it is, in order. */
export function toolLines(calls: readonly ToolCard[]): ToolLine[] {
  const lines: ToolLine[] = [];
  for (const call of calls) {
    const last = lines.at(-1);
    if (!quiet(call)) lines.push({ kind: 'call', call });
    else if (last?.kind === 'group') last.calls.push(call);
    else lines.push({ kind: 'group', calls: [call], reads: 0, searches: 0 });
  }
  return lines.map((line) => {
    if (line.kind === 'call') return line;
    const [only, second] = line.calls;
    if (only && !second) return { kind: 'call', call: only };
    const reads = line.calls.filter((call) => call.tool === 'read').length;
    return { ...line, reads, searches: line.calls.length - reads };
  });
}

/** What a group was about: the folders or patterns of its calls, each once. */
export function groupHeader(calls: readonly ToolCard[]): string {
  const places = calls.map((call) =>
    call.tool === 'read' ? call.header.replace(/\/[^/]*$/, '') || call.header : call.header,
  );
  return [...new Set(places)].join(' · ');
}
