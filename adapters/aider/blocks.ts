/** One piece of a chat history, as its first characters tell. */
export interface Block {
  kind: 'start' | 'user' | 'tool' | 'assistant';
  /** without the marks of its kind */
  text: string;
  /** number of its first line, from 0 */
  line: number;
}

const START = /^# aider chat started at (.+?)\s*$/;
/** Every line that Aider itself marks ends in two spaces; without them it is part of an answer that uses Markdown. */
const USER = /^#### (.*?) {2}$/;
const TOOL = /^> ?(.*?) {2}$/;
const QUOTE = /^> ?(.*)$/;

interface Open {
  kind: Block['kind'];
  lines: string[];
  line: number;
}

/** Splits whole lines of a history into blocks. `first`: number of the first line, from 0; `answering`: they go on with an answer. */
export function blocksOf(text: string, first: number, answering: boolean): Block[] {
  const blocks: Block[] = [];
  let open: Open | null = null;
  const close = (): void => {
    if (open === null) return;
    const said = open.kind === 'assistant' ? open.lines.join('\n').trim() : open.lines.join('\n');
    if (said !== '' || open.kind !== 'assistant') blocks.push({ kind: open.kind, text: said, line: open.line });
    open = null;
  };
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const [n, raw] of lines.entries()) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    const { kind, said } = kindOf(line, open === null ? answering && blocks.length === 0 : open.kind === 'assistant');
    if (open === null || kind !== open.kind || kind === 'start') {
      // an empty line ends a prompt or an output and begins nothing
      if (kind === 'assistant' && line.trim() === '') {
        close();
        continue;
      }
      close();
      open = { kind, lines: [], line: first + n };
    }
    open.lines.push(said);
  }
  close();
  return blocks;
}

function kindOf(line: string, answering: boolean): { kind: Block['kind']; said: string } {
  const start = START.exec(line);
  if (start !== null) return { kind: 'start', said: start[1]! };
  const user = USER.exec(line);
  if (user !== null) return { kind: 'user', said: user[1]! };
  const tool = TOOL.exec(line);
  if (tool !== null) return { kind: 'tool', said: tool[1]! };
  const quote = answering ? null : QUOTE.exec(line);
  return quote === null ? { kind: 'assistant', said: line } : { kind: 'tool', said: quote[1]! };
}

/** What Aider tells about itself and its requests in its output. */
export interface Told {
  version?: string;
  model?: string;
  usage?: { input: number; output: number; cost?: number };
}

export function toldBy(text: string): Told {
  const told: Told = {};
  const version = /^Aider v(\S+)/m.exec(text)?.[1];
  if (version !== undefined) told.version = version;
  const model = /^(?:Main model|Model): (\S+)/m.exec(text)?.[1];
  if (model !== undefined) told.model = model;
  const tokens = /^Tokens: ([\d.,]+[kM]?) sent,.*?([\d.,]+[kM]?) received\.(?: Cost: \$([\d.]+) message)?/m.exec(text);
  if (tokens !== null) {
    told.usage = { input: count(tokens[1]!), output: count(tokens[2]!) };
    if (tokens[3] !== undefined) told.usage.cost = Number(tokens[3]);
  }
  return told;
}

function count(text: string): number {
  const factor = text.endsWith('k') ? 1000 : text.endsWith('M') ? 1_000_000 : 1;
  return Math.round(Number(text.replaceAll(',', '').replace(/[kM]$/, '')) * factor) || 0;
}
