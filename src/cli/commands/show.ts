import { clip, safeJson, safeLine, safeText } from '../../core/safe-text.ts';
import type { Engine } from '../../engine/engine.ts';
import { type AppError, ok } from '../../shared/errors.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { TranscriptRow } from '../../shared/transcript.ts';
import { type Cli, type Run, STOPPED, withEngine } from '../command.ts';
import { partsOf } from '../continuations.ts';
import { userHome } from '../engine-host.ts';
import { number, plural, tilde, time, tokens } from '../format.ts';
import { handleOf } from '../handle.ts';
import { childrenOf, RELATION } from '../kin.ts';
import { readNew } from '../read-new.ts';
import { titleOf } from './list.ts';

interface Options {
  events?: boolean;
  seq?: number;
}

/** `sessionctl show`: the conversation; with --events the log, with --seq one event. */
export const show: Run<Options, [string]> = (cli, options, session) =>
  withEngine(cli, async (engine) => {
    const id = handleOf(cli, session);
    await readNew(cli, engine, id);
    if (options.seq !== undefined) return showEvent(cli, engine, id, options.seq);
    return options.events ? showEvents(cli, engine, id) : showConversation(cli, engine, id);
  });

async function showEvent(cli: Cli, engine: Engine, id: string, seq: number): Promise<number> {
  return cli.output.end(await engine.call('events.get', { id, seq }), (event) =>
    cli.output.line(safeText(JSON.stringify(event, null, 2))),
  );
}

/** The whole log, written as it is read: a session of any size takes little memory. */
async function showEvents(cli: Cli, engine: Engine, id: string): Promise<number> {
  const { output } = cli;
  const found = await engine.local.events(id);
  if (!found.ok) return output.fail(found.error);
  const whole = output.json && !output.lines;
  let first = true;
  if (whole) await output.write(`{"ok":true,"value":{"session":${safeJson(found.value.session)},"events":[`);
  for await (const events of found.value.events) {
    let text = '';
    for (const { active, in_model, ...event } of events) {
      const json = output.json ? safeJson({ ...event, active, in_model }) : '';
      if (whole) text += `${first ? '' : ','}${json}`;
      else text += output.json ? `${json}\n` : eventLine(output, event, active);
      first = false;
    }
    await output.write(text);
    if (cli.signal.aborted) return output.fail(STOPPED);
  }
  if (whole) await output.write(']}}\n');
  return 0;
}

const eventLine = (output: Cli['output'], { seq, type, payload }: SessionEvent, active: boolean): string =>
  `${String(seq).padStart(6)} ${active ? ' ' : '×'} ${type.padEnd(18)} ${clip(safeLine(JSON.stringify(payload)), Math.max(20, output.columns - 29))}\n`;

const PAGE = 500;

async function showConversation(cli: Cli, engine: Engine, id: string): Promise<number> {
  const { output } = cli;
  const found = await engine.call('sessions.get', { id });
  if (!found.ok) return output.fail(found.error);
  const session = found.value;
  const parts = await partsOf(engine, session);
  if (!output.json) header(cli, session, parts);
  const rows: TranscriptRow[] = [];
  for (const part of parts) {
    // what a part repeats of the one before is shown once
    const failed = await showPart(cli, engine, part, part !== parts[0], rows);
    if (failed !== null) return output.fail(failed);
  }
  const lineage =
    parts.length > 1 ? { lineage: parts.map((part) => part.native_id), tip: parts.at(-1)!.native_id } : {};
  return output.json && !output.lines ? output.end(ok({ session, total: rows.length, rows, ...lineage })) : 0;
}

/** The rows of one session: printed as they come, or gathered for one JSON object. `own`: without what it copied. */
async function showPart(
  cli: Cli,
  engine: Engine,
  { id }: SessionRow,
  own: boolean,
  rows: TranscriptRow[],
): Promise<AppError | null> {
  const { output } = cli;
  let copying = false;
  const opened = await engine.call('transcript.open', { id, from: 0, limit: PAGE });
  if (!opened.ok) return opened.error;
  let { rows: part, total } = opened.value.page;
  for (let from = 0; ; ) {
    const shown = own ? part.filter(({ copied }) => copied === undefined) : part;
    if (output.lines) await output.write(shown.map((row) => `${safeJson(row)}\n`).join(''));
    else if (output.json) rows.push(...shown);
    else {
      let text = '';
      for (const row of shown) {
        const ends: boolean = copying && row.copied === undefined && row.kind !== 'warning';
        text += `${ends ? `${output.style('dim', '── copied up to here; what follows is its own ──')}\n\n` : ''}${rowText(cli, row)}`;
        copying = row.copied === true || (copying && !ends);
      }
      await output.write(text);
    }
    from += part.length;
    if (cli.signal.aborted) return STOPPED;
    if (part.length === 0 || from >= total) return null;
    const next = await engine.call('transcript.rows', { id, from, limit: PAGE });
    if (!next.ok) return next.error;
    part = next.value.rows;
    total = next.value.total;
  }
}

/** Not every agent keeps figures: nothing at all is no sum. */
function usageText({ input, output, cache_read, cache_write }: SessionRow['usage']): string {
  if (input + output + cache_read + cache_write === 0) return 'not told';
  return `${tokens(input)} in, ${tokens(output)} out, ${tokens(cache_read)} from cache`;
}

function header(cli: Cli, row: SessionRow, parts: SessionRow[]): void {
  const { output } = cli;
  output.line(output.style('bold', safeLine(titleOf(row))));
  const { counts, usage } = row;
  output.facts([
    ['session', `${row.id} (${row.agent} ${row.native_id})`],
    ['folder', row.cwd === null ? 'unknown' : tilde(row.cwd, userHome(cli.io))],
    ['active', `${time(row.started_at)} – ${time(row.last_activity)}`],
    ['model', row.model ?? 'unknown'],
    [
      'holds',
      `${plural(counts.user, 'prompt')}, ${plural(counts.assistant, 'reply', 'replies')}, ${plural(counts.tool_call, 'tool call')}, ${plural(row.events, 'event')}`,
    ],
    ['usage', usageText(usage)],
    ...(row.parent && row.parent_kind
      ? [['parent', `${row.parent} (${RELATION[row.parent_kind]})`] as [string, string]]
      : []),
    ...(row.copied > 0
      ? [['copied', `${plural(row.copied, 'event')}; the usage of those counts with the parent`] as [string, string]]
      : []),
    ...(row.children.length > 0 ? [['children', childrenOf(row)] as [string, string]] : []),
    ...(parts.length > 1
      ? [
          ['goes on in', `${parts.at(-1)!.id} (part ${parts.indexOf(row) + 1} of ${parts.length} shown together)`] as [
            string,
            string,
          ],
        ]
      : []),
    ...(row.branches > 1 ? [['branches', number(row.branches)] as [string, string]] : []),
    ...(row.warnings.length > 0
      ? [['warnings', row.warnings.map((warning) => warning.about).join(', ')] as [string, string]]
      : []),
  ]);
  output.line();
}

/** One row of the conversation, ended by an empty line. */
function rowText(cli: Cli, row: TranscriptRow): string {
  const { output } = cli;
  const dim = (text: string): string => output.style('dim', text);
  const mark = row.active ? '' : dim('(not on the active branch) ');
  switch (row.kind) {
    case 'prompt':
      return `${mark}${output.style('bold', '›')} ${indent(blocks(row.content))}\n\n`;
    case 'text':
      return `${mark}${indent(blocks(row.content))}\n\n`;
    case 'thinking':
      return `${mark}${dim(row.text === null ? `thinking (${row.form})` : indent(safeText(row.text)))}\n\n`;
    case 'tools':
      return `${row.calls.map((call) => `${mark}${dim('→')} ${call.name} ${safeLine(call.header)}${call.result?.is_error ? output.style('red', ' failed') : ''}`).join('\n')}\n\n`;
    case 'rule':
      return `${dim(`── ${safeLine(row.text)} ──`)}\n\n`;
    case 'system':
    case 'unknown':
      return '';
    case 'warning':
      return `${output.style('yellow', `! ${row.about}: ${safeLine(row.detail)}`)}\n\n`;
  }
}

const indent = (text: string): string => text.replace(/\n(?=[^\n])/g, '\n  ');

type Blocks = Extract<TranscriptRow, { kind: 'text' }>['content'];

function blocks(content: Blocks): string {
  return content
    .map((block) =>
      block.kind === 'text'
        ? safeText(block.text)
        : block.kind === 'opaque'
          ? '[opaque]'
          : `[${block.kind} ${block.media_type}, ${number(block.bytes)} bytes]`,
    )
    .join('\n');
}
