import { resolve } from 'node:path';
import { familyTree, type Member } from '../../core/view/family-tree.ts';
import type { Engine } from '../../engine/engine.ts';
import { AGENTS } from '../../shared/agents.ts';
import type { SessionQuery } from '../../shared/api.ts';
import { type AppError, fail, ok, type Result } from '../../shared/errors.ts';
import type { SessionRow } from '../../shared/session.ts';
import { foundText } from '../../shared/source-count.ts';
import { type Cli, type Run, STOPPED, withEngine } from '../command.ts';
import { userHome } from '../engine-host.ts';
import { number, pathEnd, tilde, time } from '../format.ts';
import { childrenOf, RELATION } from '../kin.ts';
import { scanFirst } from '../scan-first.ts';

interface Options {
  agent?: string;
  cwd?: string;
  has?: SessionQuery['has'];
  after?: number;
  before?: number;
  all?: boolean;
  sort: NonNullable<SessionQuery['sort']>;
  limit?: number;
  scan: boolean;
}

const SHOWN = 30;
const PAGE = 1000;

/** `sessionctl list`: scans the enabled sources, then lists. */
export const list: Run<Options, [string[]]> = (cli, options, words) =>
  withEngine(cli, async (engine) => {
    const unknown = await unknownAgent(engine, options.agent);
    if (unknown) return cli.output.fail(unknown);
    const failed = options.scan ? await scanFirst(cli, engine) : undefined;
    if (failed) return cli.output.fail(failed);
    const query = queryOf(cli, options, words);
    const limit = options.limit ?? (cli.output.json ? Number.POSITIVE_INFINITY : SHOWN);
    if (cli.output.lines) return writeLines(cli, engine, query, limit);
    const found = await collect(engine, query, limit);
    if (found.ok && found.value.total === 0 && !cli.output.json)
      return empty(cli, engine, words.length > 0 || options.agent !== undefined);
    return cli.output.end(found, ({ rows, total }) => show(cli, rows, total));
  });

/** An agent that neither this version nor any stored session knows is a slip of the pen, not a list without rows. */
export async function unknownAgent(engine: Engine, agent: string | undefined): Promise<AppError | undefined> {
  if (agent === undefined || AGENTS.some((known) => known === agent)) return undefined;
  const stored = await engine.call('sessions.list', { agent, subagents: true, empty: true, limit: 1 });
  if (!stored.ok) return stored.error;
  if (stored.value.total > 0) return undefined;
  return fail('invalid_request', `"${agent}" is no agent known here. Known: ${AGENTS.join(', ')}.`, {
    path: 'agent',
  }).error;
}

function queryOf(cli: Cli, options: Options, words: string[]): SessionQuery {
  const { agent, cwd, has, after, before, all, sort } = options;
  return {
    sort,
    ...(words.length > 0 ? { text: words.join(' ') } : {}),
    ...(agent === undefined ? {} : { agent }),
    ...(cwd === undefined ? {} : { cwd: resolve(cli.io.cwd, cwd) }),
    ...(has === undefined ? {} : { has }),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    ...(all ? { subagents: true, empty: true } : {}),
  };
}

/** Pages of rows, up to `limit` rows; `total` is how many match. */
async function* pagesOf(
  engine: Engine,
  query: SessionQuery,
  limit: number,
): AsyncGenerator<Result<{ total: number; rows: SessionRow[] }>> {
  for (let offset = 0; ; ) {
    const wanted = Math.max(1, Math.min(PAGE, limit - offset));
    const page = await engine.call('sessions.list', { ...query, offset, limit: wanted });
    yield page;
    if (!page.ok) return;
    offset += page.value.rows.length;
    if (page.value.rows.length === 0 || offset >= Math.min(limit, page.value.total)) return;
  }
}

async function collect(
  engine: Engine,
  query: SessionQuery,
  limit: number,
): Promise<Result<{ total: number; rows: SessionRow[] }>> {
  const rows: SessionRow[] = [];
  let total = 0;
  for await (const page of pagesOf(engine, query, limit)) {
    if (!page.ok) return page;
    rows.push(...page.value.rows);
    total = page.value.total;
  }
  // a limit of 0 asks for the total alone
  return ok({ total, rows: rows.slice(0, limit) });
}

async function writeLines(cli: Cli, engine: Engine, query: SessionQuery, limit: number): Promise<number> {
  for await (const page of pagesOf(engine, query, limit)) {
    if (!page.ok) return cli.output.fail(page.error);
    for (const row of page.value.rows.slice(0, limit)) await cli.output.row(row);
    if (cli.signal.aborted) return cli.output.fail(STOPPED);
  }
  return 0;
}

/** Why the list is empty, and the one thing to do about it. */
async function empty(cli: Cli, engine: Engine, filtered: boolean): Promise<number> {
  const sources = await engine.call('sources.list', {});
  if (!sources.ok) return cli.output.fail(sources.error);
  const waiting = sources.value.filter((source) => source.exists && !source.enabled && source.sessions > 0);
  cli.output.line(filtered ? 'No session matches.' : 'No sessions yet.');
  if (waiting.length === 0) return 0;
  cli.output.line(`Not read yet: ${waiting.map((source) => `${source.label} (${foundText([source])})`).join(', ')}`);
  cli.output.line(
    `Allow it: ${cli.output.typed(`sessionctl sources enable ${[...new Set(waiting.map((source) => source.agent))].join(' ')}`)}`,
  );
  return 0;
}

/** The sessions with what came from them below them; a family stands where its newest member would. */
function show(cli: Cli, rows: SessionRow[], total: number): void {
  const home = userHome(cli.io);
  const open = new Set(rows.filter(({ parent_kind }) => parent_kind === 'subagent').map(({ parent }) => parent));
  cli.output.table(familyTree(rows), [
    { head: 'SESSION', cell: ({ row }) => row.id.slice(0, 13) },
    { head: 'AGENT', cell: ({ row }) => row.agent },
    { head: 'ACTIVE', cell: ({ row }) => time(row.last_activity), optional: true },
    { head: 'PROMPTS', cell: ({ row }) => number(row.counts.user), align: 'right', optional: true },
    { head: 'TITLE', cell: (member) => inTree(member, open), grows: true },
    {
      head: 'FOLDER',
      optional: true,
      cell: ({ row }) => (row.cwd === null ? '–' : pathEnd(tilde(row.cwd, home), cli.output.columns < 120 ? 18 : 28)),
    },
  ]);
  if (total > rows.length)
    cli.output.line(cli.output.style('dim', `${number(rows.length)} of ${number(total)}; more: --limit`));
}

/** Deeper members stand as deep as this: a title must be read, not looked for. */
const DEEPEST = 8;

/** A title with what the session is to the one above it, and what is not listed below it. `open`: sessions whose sub-agents are. */
function inTree({ row, depth }: Member<SessionRow>, open: ReadonlySet<string | null>): string {
  const subagents = open.has(row.id) ? '' : childrenOf(row, 'subagent');
  const kind = row.parent_kind === null ? '' : `${RELATION[row.parent_kind]}: `;
  const above = depth === 0 ? '' : `${'   '.repeat(Math.min(depth, DEEPEST) - 1)}└─ ${kind}`;
  return `${above}${titleOf(row)}${subagents === '' ? '' : ` (+ ${subagents})`}`;
}

export function titleOf(row: Pick<SessionRow, 'title' | 'first_prompt'>): string {
  return row.title ?? row.first_prompt ?? '(no conversation)';
}
