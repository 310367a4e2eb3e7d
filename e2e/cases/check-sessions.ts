import type { SessionRow } from '../../src/shared/session.ts';
import type { Expect, ExpectedWarning, PerSession } from './expect.ts';
import type { Problems } from './problems.ts';
import type { Sandbox } from './sandbox.ts';
import {
  activeText,
  assistantTexts,
  inactiveText,
  jsonText,
  type SessionView,
  userTexts,
  viewOf,
} from './session-view.ts';

/** Cases name usage as the agents do. */
const USAGE: Record<string, keyof SessionRow['usage']> = {
  input_tokens: 'input',
  output_tokens: 'output',
  cache_read_input_tokens: 'cache_read',
  cache_creation_input_tokens: 'cache_write',
};

/** Checks listing, sessions and the log against what the case expects. */
export async function checkSessions(
  sandbox: Sandbox,
  rows: SessionRow[],
  expect: Expect,
  problems: Problems,
): Promise<void> {
  checkListing(rows, expect, problems);
  const views = new Map<string, SessionView>();
  for (const row of rows) views.set(row.id, await viewOf(sandbox, row));
  for (const wanted of expect.per_session ?? []) {
    const row = rows.find((candidate) => candidate.native_id === wanted.session_id);
    if (row === undefined) problems.add(`session ${wanted.session_id} is not listed`);
    else checkSession(views.get(row.id) as SessionView, wanted, rows, problems);
  }
  for (const wanted of expect.by_path ?? []) {
    const row = rows.find((candidate) => candidate.source?.endsWith(wanted.path));
    if (row === undefined) problems.add(`no session of ${wanted.path}`);
    else checkSession(views.get(row.id) as SessionView, wanted, rows, problems);
  }
  checkLog([...views.values()], expect, problems);
  for (const warning of expect.warnings ?? []) checkWarning(rows, warning, problems);
}

function checkListing(rows: SessionRow[], expect: Expect, problems: Problems): void {
  const conversations = rows.filter((row) => row.parent_kind !== 'subagent');
  const ids = rows.map((row) => row.native_id);
  const { sessions, top_level_sessions: top } = expect;
  if (sessions?.count !== undefined) problems.equal('sessions', conversations.length, sessions.count);
  const topLevel = conversations.filter((row) => row.parent_kind !== 'continuation');
  if (top?.count !== undefined) problems.equal('top-level sessions', topLevel.length, top.count);
  for (const id of [...(sessions?.ids ?? []), ...(top?.ids ?? [])])
    if (!ids.includes(id)) problems.add(`session ${id} is not listed`);
  for (const id of sessions?.absent_ids ?? []) if (ids.includes(id)) problems.add(`session ${id} is listed`);
  for (const id of sessions?.with_messages ?? []) {
    const row = rows.find((candidate) => candidate.native_id === id);
    if (!row || row.counts.user + row.counts.assistant === 0) problems.add(`session ${id} has no messages`);
  }
  if (expect.distinct_handles !== undefined)
    problems.equal('distinct handles', new Set(rows.map((row) => row.id)).size, expect.distinct_handles);
  if (expect.usage_over_all !== undefined) {
    for (const [name, value] of Object.entries(expect.usage_over_all)) {
      const sum = rows.reduce((total, row) => total + row.usage[USAGE[name] as 'input'], 0);
      problems.equal(`usage over all ${name}`, sum, value);
    }
  }
}

function checkSession(view: SessionView, wanted: PerSession, rows: SessionRow[], problems: Problems): void {
  const { row } = view;
  const at = `${wanted.session_id}: `;
  for (const [name, value] of Object.entries(wanted.counts ?? {}))
    problems.equal(`${at}count ${name}`, row.counts[name as 'user'], value);
  for (const [name, value] of Object.entries(wanted.counts_at_least ?? {})) {
    if (row.counts[name as 'user'] < value)
      problems.add(`${at}count ${name} is ${row.counts[name as 'user']}, at least ${value} wanted`);
  }
  for (const [name, value] of Object.entries(wanted.usage ?? {}))
    problems.equal(`${at}usage ${name}`, row.usage[USAGE[name] as 'input'], value);
  if (wanted.cwd !== undefined) problems.equal(`${at}cwd`, row.cwd, wanted.cwd);
  if (wanted.branches !== undefined) problems.equal(`${at}branches`, row.branches, wanted.branches);
  if (wanted.children !== undefined) problems.equal(`${at}children`, row.children.length, wanted.children);
  if (wanted.archived !== undefined) problems.equal(`${at}archived`, row.archived, wanted.archived);
  if (wanted.last_activity !== undefined)
    problems.equal(`${at}last activity`, row.last_activity, Date.parse(wanted.last_activity) / 1000);
  if (wanted.parent !== undefined)
    problems.equal(`${at}parent`, rows.find((other) => other.id === row.parent)?.native_id, wanted.parent);
  if (wanted.title_contains !== undefined) problems.contains(`${at}title`, row.title ?? '', [wanted.title_contains]);
  problems.excludes(`${at}title`, row.title ?? '', wanted.title_excludes ?? []);
  checkTexts(view, wanted, at, problems);
}

function checkTexts(view: SessionView, wanted: PerSession, at: string, problems: Problems): void {
  const active = activeText(view);
  problems.contains(`${at}conversation`, active, wanted.contains ?? []);
  problems.excludes(`${at}conversation`, active, [...(wanted.excludes ?? []), ...(wanted.not_as_complete ?? [])]);
  problems.inOrder(`${at}conversation`, active, wanted.order ?? []);
  for (const text of wanted.each_once ?? [])
    problems.equal(`${at}occurrences of ${text}`, active.split(text).length - 1, 1);
  problems.excludes(`${at}prompts`, userTexts(view).join('\n'), wanted.user_texts_exclude ?? []);
  problems.excludes(`${at}replies`, assistantTexts(view).join('\n'), wanted.assistant_texts_exclude ?? []);
  if (wanted.last_user_contains !== undefined)
    problems.contains(`${at}last prompt`, userTexts(view).at(-1) ?? '', [wanted.last_user_contains]);
}

function checkLog(views: SessionView[], expect: Expect, problems: Problems): void {
  const log = views.map((view) => jsonText(view.events)).join('\n');
  problems.contains('log', log, [...(expect.log_contains ?? []), ...(expect.log_contains_raw ?? [])]);
  const subagents = views.filter((view) => view.row.parent_kind === 'subagent').map(activeText);
  problems.contains(
    'inactive part of the log',
    [...views.map(inactiveText), ...subagents].join('\n'),
    expect.log_contains_inactive ?? [],
  );
}

function checkWarning(rows: SessionRow[], wanted: ExpectedWarning, problems: Problems): void {
  const all = rows.flatMap((row) => row.warnings.map((warning) => ({ ...warning, session: row.native_id })));
  const fits = all.filter(
    (warning) =>
      warning.about === wanted.about &&
      (wanted.line === undefined || warning.line === wanted.line) &&
      (wanted.file === undefined || warning.file?.endsWith(wanted.file)) &&
      (wanted.field === undefined || warning.field === wanted.field) &&
      (wanted.session_id === undefined || warning.session === wanted.session_id),
  );
  const count = fits.reduce((sum, warning) => sum + (warning.count ?? 1), 0);
  if (fits.length === 0)
    problems.add(`no warning ${JSON.stringify(wanted)}; there are ${JSON.stringify(all).slice(0, 300)}`);
  else if (wanted.count !== undefined) problems.equal(`warnings ${wanted.about}`, count, wanted.count);
}
