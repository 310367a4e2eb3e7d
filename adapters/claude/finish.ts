import { join } from 'node:path';
import type { AgentEnv, NativeSource, SessionFacts } from '../contract.ts';
import { configFolder } from './discover.ts';
import type { FileCapture } from './file-capture.ts';
import { putLeaf } from './leaf.ts';
import type { Json } from './record.ts';
import { isThere, namesIn, readJsonFile, sideFolder } from './side-files.ts';
import type { SessionState } from './state.ts';
import { metaOf } from './subagents.ts';
import { oneLine, type TitleSources, titleOf } from './titles.ts';

/** Writes what only the end of a capture tells: open requests, the leaf, warnings with counts, facts of the list. */
export function finishSessions(file: FileCapture, source: NativeSource, env: AgentEnv): void {
  for (const state of file.sessions()) {
    putOpenRequests(state);
    putLeaf(state);
    warnAtEnd(state, file);
    const known = { ...facts(state), status: statusOf(state, source, env) };
    state.log.sink.facts(state === file.main ? { ...known, ...sideFacts(state, source) } : known);
  }
}

/** Prompts that still wait in the queue are the user's open request. Each is written once. */
function putOpenRequests(state: SessionState): void {
  const { log, early } = state;
  let parent = log.graph.tip < 0 ? -1 : log.graph.behind(log.graph.tip);
  for (const { text, ts } of state.queue.open()) {
    const known = early.get(text);
    if (known !== undefined) {
      parent = known.seq;
      continue;
    }
    const payload: Json = { content: [{ kind: 'text', text }], via: 'queued' };
    const seq = log.aside({ type: 'message.user', actor: 'user', level: 2, payload }, parent, ts);
    early.set(text, { seq, parent });
    log.graph.last = seq;
    parent = seq;
  }
}

function warnAtEnd(state: SessionState, { sums }: FileCapture): void {
  const { sink, graph } = state.log;
  const unanswered = state.calls.unanswered();
  if (unanswered > 0)
    sink.warning({
      about: 'unanswered-call',
      detail: `${unanswered} calls have no result, and the conversation went on.`,
      count: unanswered,
    });
  if (state.duplicates > 0)
    sink.warning({
      about: 'duplicate-records',
      detail: `${state.duplicates} records stand in the file more than once. The first of each was taken.`,
      count: state.duplicates,
    });
  state.duplicates = 0;
  if (graph.lastCore < 0 && sums.mapped < sums.records)
    sink.warning({ about: 'no-turns-recognised', detail: 'The file has records, but no turn was recognised in them.' });
}

function facts(state: SessionState): SessionFacts {
  const known: SessionFacts = { ...titleOf(titlesOf(state), undefined) };
  if (state.cwd !== undefined) known.cwd = state.cwd;
  if (state.cwdLast !== undefined) known.cwd_last = state.cwdLast;
  if (state.branch !== undefined) known.git_branch = state.branch;
  if (state.model !== undefined) known.model = state.model;
  if (state.version !== undefined) known.agent_version = state.version;
  return known;
}

/** A session works while a turn is under way and its client's process lives. */
function statusOf(
  { log, calls }: SessionState,
  source: NativeSource,
  env: AgentEnv,
): NonNullable<SessionFacts['status']> {
  if (log.graph.lastCore < 0) return 'empty';
  const open = log.lastType !== 'message.assistant' && log.lastType !== 'interrupted';
  if (open && isWorking(source.native_id, env)) return 'working';
  return calls.waiting ? 'ended_mid_tool' : 'idle';
}

/** What the files beside the session tell: its name, and whether it is archived. A sub-agent is named by its task. */
function sideFacts(state: SessionState, source: NativeSource): SessionFacts {
  const titles = titlesOf(state);
  const task = metaOf(source.path)?.description;
  if (task !== undefined) titles.ai ??= redactedTitle(state, task);
  const folder = sideFolder(source.path);
  if (!isThere(folder)) return titleOf(titles, undefined);
  const title = readJsonFile(join(folder, 'custom-title.json'))?.customTitle;
  const archived = readJsonFile(join(folder, 'archived.json'))?.archived;
  return {
    ...titleOf(titles, redactedTitle(state, title)),
    ...(archived === undefined ? {} : { archived: archived !== false }),
  };
}

/** All title sources; of the summaries only those that name a record of this session. */
function titlesOf({ titles, summaries, log }: SessionState): TitleSources {
  const own = summaries.findLast(({ leaf }) => leaf === undefined || log.graph.byUuid.get(leaf) !== undefined);
  return { ...titles, summary: own?.title };
}

function redactedTitle(state: SessionState, title: unknown): string | undefined {
  const line = oneLine(title);
  return line === undefined ? undefined : oneLine(state.setting.redact(line));
}

/** Clients note their processes in sessions/<pid>.json and remove the note when they end. */
function isWorking(sessionId: string, env: AgentEnv): boolean {
  const folder = join(configFolder(env), 'sessions');
  for (const name of namesIn(folder)) {
    const note = /^\d+\.json$/.test(name) ? readJsonFile(join(folder, name)) : undefined;
    if (note?.sessionId !== sessionId || typeof note.pid !== 'number') continue;
    if (note.status !== 'idle' && isAlive(note.pid)) return true;
  }
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
