import type { ShownBlock, ToolCard, TranscriptRow } from '../../shared/transcript.ts';
import { argumentsOf, isShort } from './calls.ts';
import { agentLabel, durationText, endOf, factsOf, number, remarksOf, timeText, titleOf } from './facts.ts';
import { codeBlock, codeSpan, plainLine, quoted } from './harmless-markdown.ts';
import type { OutputSession, OutputSource } from './output.ts';

/** One Markdown page: what was said as quotes, calls with what they gave. Images and HTML of the session are not active in it. */
export async function* markdown({ sessions, all, version }: OutputSource): AsyncGenerator<string> {
  for (const [at, session] of sessions.entries()) {
    yield at === 0 ? head(session, all, version) : subagentHead(session, all);
    for await (const { rows } of session.pages()) {
      let text = '';
      for (const row of rows) text += rowText(row, session);
      if (text !== '') yield text;
    }
  }
}

function head(session: OutputSession, all: boolean, version: string): string {
  const last = Math.max(0, session.row.events - 1);
  const remarks = [
    `Written by sessionctl ${version} from events 0 to ${last}. What people, agents and tools said stands in quotes and code.`,
    ...remarksOf(session, all),
  ];
  return `# ${plainLine(titleOf(session.row))}\n\n${facts(session)}\n\n${remarks.map((text) => `*${plainLine(text)}*`).join('\n')}\n`;
}

function subagentHead(session: OutputSession, all: boolean): string {
  const remarks = remarksOf(session, all).map((text) => `\n*${plainLine(text)}*`);
  return `\n---\n\n# Sub-agent: ${plainLine(titleOf(session.row))}\n\n${facts(session)}\n${remarks.join('')}\n`;
}

function facts(session: OutputSession): string {
  const rows = factsOf(session).map(([name, value]) => `| ${name} | ${plainLine(value)} |`);
  return `| | |\n|---|---|\n${rows.join('\n')}`;
}

/** Where a row stands, when, and whether it still counts. */
function mark({ seq, ts, active, copied }: TranscriptRow): string {
  const parts = [timeText(ts), `e${seq}`, ...(copied ? ['copied'] : []), ...(active ? [] : ['**not active**'])];
  return parts.filter(Boolean).join(' · ');
}

function rowText(row: TranscriptRow, session: OutputSession): string {
  const { row: whole } = session;
  switch (row.kind) {
    case 'prompt':
      return `\n## ${row.turn}. Prompt\n\n${mark(row)}${row.via === 'prompt' ? '' : ` · ${row.via}`}\n\n${blocks(row.content)}\n`;
    case 'text': {
      const who = row.synthetic ? `${agentLabel(whole.agent)} itself` : agentLabel(whole.agent);
      return `\n**${who}** · ${mark(row)}\n\n${blocks(row.content)}\n`;
    }
    case 'thinking':
      return `\n**Reasoning** · ${mark(row)}\n\n${row.text === null ? '*It cannot be read.*' : quoted(row.text)}\n`;
    case 'tools':
      return row.calls.map((card) => call(card, row)).join('');
    case 'rule':
      return `\n---\n\n**${plainLine(row.text)}** · ${mark(row)}${sizes(row)}\n${row.content ? `\n${blocks(row.content)}\n` : ''}`;
    case 'system':
      return `\n**Beside the conversation: ${plainLine(row.about)}** · ${mark(row)}\n\n${blocks(row.content)}\n`;
    case 'unknown':
      return `\n*${row.count} record${row.count === 1 ? '' : 's'} of a kind that is not known: ${plainLine(row.record_type)}* · ${mark(row)}\n`;
    case 'warning':
      return `\n*Damaged here (${plainLine(row.about)}): ${plainLine(row.detail)}* · ${mark(row)}\n`;
  }
}

function sizes({ tokens_before, tokens_after }: Extract<TranscriptRow, { kind: 'rule' }>): string {
  if (tokens_before === undefined) return '';
  return ` · ${number(tokens_before)} tokens before${tokens_after === undefined ? '' : `, ${number(tokens_after)} after`}`;
}

function call(card: ToolCard, row: TranscriptRow): string {
  const { result, diff, added, removed } = card;
  const end = [
    endOf(result),
    ...(added === undefined ? [] : [`+${added} −${removed ?? 0}`]),
    durationText(result?.duration_ms),
  ];
  const header = codeSpan(card.header);
  const parts = [
    `\n**${plainLine(card.name)}**${header === '' ? '' : ` ${header}`} → ${end.filter(Boolean).join(', ')} · ${mark({ ...row, seq: card.seq })}`,
    ...(card.child_session === undefined ? [] : [`Sub-agent: ${plainLine(card.child_session)}`]),
    ...given(argumentsOf(card)),
    ...(diff === undefined ? [] : [codeBlock(diff, 'diff')]),
    ...(result === null ? [] : output(result)),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Short arguments in a list, long ones each in a block. */
function given(args: readonly [name: string, text: string][]): string[] {
  const short = args
    .filter(([, text]) => isShort(text))
    .map(([name, text]) => `- ${plainLine(name)}: ${codeSpan(text)}`);
  const long = args
    .filter(([, text]) => !isShort(text))
    .map(([name, text]) => `${plainLine(name)}:\n\n${codeBlock(text)}`);
  return [...(short.length === 0 ? [] : [short.join('\n')]), ...long];
}

function output({ content, truncated }: NonNullable<ToolCard['result']>): string[] {
  const shown = content.flatMap((block) => {
    if (block.kind !== 'text') return [aside(block)];
    return block.text.trim() === '' ? [] : [codeBlock(block.text)];
  });
  if (truncated) shown.push(`*Of ${number(truncated.bytes)} bytes of output the middle is left out.*`);
  return shown;
}

function blocks(content: readonly ShownBlock[]): string {
  return content.map((block) => (block.kind === 'text' ? quoted(block.text) : aside(block))).join('\n\n');
}

function aside(block: Exclude<ShownBlock, { kind: 'text' }>): string {
  if (block.kind === 'opaque') return '*A part that only its own agent can read.*';
  const name = block.kind === 'image' ? (block.alt ?? '') : (block.name ?? '');
  const what = `${block.kind === 'image' ? 'Image' : 'Document'}${name === '' ? '' : ` "${name}"`}`;
  return `*${plainLine(`${what}, ${block.media_type}, ${number(block.bytes)} bytes: not in this page`)}*`;
}
