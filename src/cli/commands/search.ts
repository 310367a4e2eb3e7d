import { resolve } from 'node:path';
import { clip, safeLine, width } from '../../core/safe-text.ts';
import type { Engine } from '../../engine/engine.ts';
import type { SearchHit, SearchIndexState, SearchPlace, SearchQuery, SearchResult } from '../../shared/search.ts';
import { type Cli, type Run, withEngine } from '../command.ts';
import { userHome } from '../engine-host.ts';
import { number, pathEnd, plural, tilde, time } from '../format.ts';
import { RELATION } from '../kin.ts';
import { scanFirst } from '../scan-first.ts';
import { titleOf, unknownAgent } from './list.ts';

interface Options {
  agent?: string;
  cwd?: string;
  after?: number;
  before?: number;
  in?: SearchPlace[];
  session?: string;
  hits?: number;
  limit?: number;
  offset?: number;
  wait?: number;
  scan: boolean;
}

const SESSIONS = 10;
const HITS = 3;
/** Of one session alone. */
const MANY_HITS = 50;
const WAIT_SECONDS = 60;

/** `sessionctl search`: reads and indexes what is new, then searches all events. */
export const search: Run<Options, [string[]]> = (cli, options, words) =>
  withEngine(cli, async (engine) => {
    const unknown = await unknownAgent(engine, options.agent);
    if (unknown) return cli.output.fail(unknown);
    const failed = options.scan ? await scanFirst(cli, engine) : undefined;
    if (failed) return cli.output.fail(failed);
    const indexed = await index(cli, engine, options.wait ?? WAIT_SECONDS);
    if (!indexed.ok) return cli.output.fail(indexed.error);
    const found = await engine.call('sessions.search', queryOf(cli, options, words), cli.signal);
    if (found.ok) for (const text of remarksOf(found.value)) cli.output.note(text);
    return cli.output.end(found, (result) => show(cli, result));
  });

async function index(cli: Cli, engine: Engine, seconds: number) {
  const indexed = await engine.local.indexForSearch(
    seconds * 1000,
    ({ sessions, sessions_total }) =>
      cli.output.progress(`Indexing for search: ${number(sessions)} of ${plural(sessions_total, 'session')}`),
    cli.signal,
  );
  cli.output.clearProgress();
  return indexed;
}

function queryOf(cli: Cli, options: Options, words: string[]): SearchQuery {
  const { cwd, hits, limit = SESSIONS, offset = 0, scan: _, wait: __, ...filters } = options;
  return {
    query: words.join(' '),
    ...filters,
    ...(cwd === undefined ? {} : { cwd: resolve(cli.io.cwd, cwd) }),
    hits: hits ?? (options.session === undefined ? HITS : MANY_HITS),
    limit,
    offset,
    wait_ms: 0,
  };
}

/** What must be known to judge the answer. */
function remarksOf({ notes, index }: SearchResult): string[] {
  return index.complete
    ? notes
    : [...notes, `${indexText(index)}. What is missing was not searched; search again later.`];
}

/** How far the index is: "Indexed 812 of 1,000 sessions". */
export function indexText({ sessions, sessions_total }: SearchIndexState): string {
  return `Indexed ${number(sessions)} of ${plural(sessions_total, 'session')}`;
}

function show(cli: Cli, { sessions, total, next }: SearchResult): void {
  const { output } = cli;
  if (sessions.length === 0) {
    output.line(next === null ? 'Nothing was found.' : `Nothing so far; more: --offset ${next}`);
    return;
  }
  const about = total.exact ? '' : 'About ';
  output.line(`${about}${plural(total.hits, 'hit')} in ${plural(total.sessions, 'session')}`);
  for (const found of sessions) {
    output.line();
    showSession(cli, found);
  }
  output.line();
  const more = next === null ? '' : `; more sessions: --offset ${next}`;
  output.line(
    output.style('dim', `One of them in full: ${output.typed('sessionctl show <session> --seq <number>')}${more}`),
  );
}

function showSession(cli: Cli, { session, parent, total, hits }: SearchResult['sessions'][number]): void {
  const { output } = cli;
  const folder = session.cwd === null ? '' : `  ${pathEnd(tilde(session.cwd, userHome(cli.io)), 28)}`;
  const head = `${session.id.slice(0, 13)}  ${session.agent}  ${time(session.last_activity)}${folder}`;
  output.line(`${output.style('bold', safeLine(titleOf(session)))}`);
  output.line(output.style('dim', safeLine(head)));
  if (parent !== null && parent.kind === 'subagent')
    output.line(
      output.style('dim', safeLine(`${RELATION[parent.kind]} of ${parent.id.slice(0, 13)} ${parent.title ?? ''}`)),
    );
  for (const hit of hits) showHit(cli, hit);
  if (total > hits.length)
    output.line(output.style('dim', `  ${number(total - hits.length)} more: --session ${session.id.slice(0, 13)}`));
}

function showHit({ output }: Cli, hit: SearchHit): void {
  const what = [hit.tool ?? hit.kind, ...(hit.error ? ['failed'] : []), ...(hit.active ? [] : ['undone'])].join(', ');
  const label = `  #${hit.seq} ${safeLine(what)}  `;
  const marked = piecesOf(hit, Math.max(20, output.columns - width(label)));
  const text = marked.map(({ text: piece, match }) => (match ? output.style('yellow', piece) : piece)).join('');
  output.line(`${output.style('dim', label)}${text}`);
}

interface Piece {
  text: string;
  match: boolean;
}

/** Of the room before the first match only so much is used, so that the match is seen on narrow terminals too. */
const BEFORE = 0.3;

/** A snippet as one line of at most so many columns, what matches apart. */
function piecesOf({ text, matches, more_before, more_after }: SearchHit, columns: number): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const [from, to] of [...matches, [text.length, text.length] as const]) {
    if (from > at) pieces.push({ text: lineOf(text.slice(at, from)), match: false });
    if (to > from) pieces.push({ text: lineOf(text.slice(from, to)), match: true });
    at = to;
  }
  const [first] = pieces;
  const room = columns - width(pieces.map((piece) => piece.text).join('')) >= 2 ? columns : columns * BEFORE;
  if (first !== undefined && !first.match && pieces.length > 1)
    first.text = endOf(first.text.trimStart(), room, more_before);
  const last = pieces.at(-1);
  if (last !== undefined && more_after) last.text = `${last.text.trimEnd()}…`;
  return within(pieces, columns);
}

const lineOf = (text: string): string => safeLine(text).replace(/ {2,}/g, ' ');

/** The end of a text, at most so many columns wide. */
function endOf(text: string, columns: number, cut: boolean): string {
  const characters = [...text];
  let used = 0;
  let from = characters.length;
  while (from > 0) {
    used += width(characters[from - 1] as string);
    if (used > columns) break;
    from--;
  }
  return `${cut || from > 0 ? '…' : ''}${characters.slice(from).join('')}`;
}

function within(pieces: readonly Piece[], columns: number): Piece[] {
  const kept: Piece[] = [];
  let room = columns;
  for (const piece of pieces) {
    const wide = width(piece.text);
    if (wide >= room) {
      kept.push({ ...piece, text: clip(piece.text, room) });
      break;
    }
    kept.push(piece);
    room -= wide;
  }
  return kept;
}
