import type { SessionStart } from '../../../src/shared/events.ts';
import type { SessionFacts } from '../../contract.ts';
import { ORIGINATOR } from '../write/meta.ts';
import { isObject } from './item.ts';
import { parentOf } from './rollouts.ts';
import type { Reading } from './state.ts';

type Json = Record<string, unknown>;

/** A session_meta. Only the first one is this thread's: a copy of the parent's says nothing new. */
export function header(reading: Reading, meta: Json): void {
  if (reading.state.header === 'read') {
    reading.accounts.declare('session_meta, again');
    return;
  }
  writeHeader(reading, meta);
  reading.accounts.mapped++;
}

/** Begins a fork ahead of its own lines, which come after those that it shares with its parent. */
export function startFork(reading: Reading, meta: Json): void {
  reading.log.begin({ line: 0, time: meta.timestamp ?? null, redacted: false }, null);
  writeHeader(reading, meta);
}

function writeHeader({ log, state }: Reading, meta: Json): void {
  state.header = 'read';
  state.own = meta.originator === ORIGINATOR;
  const ownFrom = meta.subagent_history_start_ordinal;
  const parent = parentOf(meta);
  // with fork_turns a sub-agent begins with its parent's talk, which it sends to its model as if it were its own
  if (typeof ownFrom === 'number' && parent !== null)
    state.copied = { from: parent.native_id, until: ownFrom, last: '' };
  state.paginated = meta.history_mode === 'paginated';
  state.cwd = name(meta.cwd);
  const git = isObject(meta.git) ? meta.git : {};
  const { originator, source, model_provider, history_mode } = meta;
  const start: SessionStart = {
    cwd: state.cwd,
    ...given('git_branch', git.branch),
    ...given('git_head', git.commit_hash),
    ...given('agent_version', meta.cli_version),
    config: JSON.parse(JSON.stringify({ originator, source, model_provider, history_mode })) as Json,
    ...given('native_parent', meta.forked_from_id ?? meta.parent_thread_id),
  };
  log.state.start = log.put('session.start', 'system', start);
  log.sink.facts({
    cwd: state.cwd,
    cwd_last: state.cwd,
    ...given('git_branch', git.branch),
    ...given('agent_version', meta.cli_version),
    ...titleOf(meta),
  });
}

/** What a sub-agent is called by the agent that started it: the task of its path, else the nickname it was given. */
function titleOf({ agent_path, agent_nickname }: Json): SessionFacts {
  const title = name(agent_path)?.split('/').at(-1) ?? name(agent_nickname);
  return title === null || title === '' ? {} : { title, title_from: 'agent' };
}

/** A turn_context: folder and model may change from turn to turn. */
export function settings({ log, state, accounts }: Reading, payload: Json): void {
  const model = name(payload.model);
  const cwd = name(payload.cwd);
  if (cwd !== null && cwd !== state.cwd)
    log.sink.facts(state.cwd === null ? { cwd, cwd_last: cwd } : { cwd_last: cwd });
  state.cwd = cwd ?? state.cwd;
  if (model === null || model === state.model) {
    accounts.declare('turn_context, nothing new');
    return;
  }
  state.model = model;
  log.meta('model', model);
  log.sink.facts({ model });
  accounts.mapped++;
}

/** A string that says something, else null. */
export function name(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function given<K extends string>(key: K, value: unknown): { [P in K]?: string } {
  return typeof value === 'string' ? ({ [key]: value } as { [P in K]?: string }) : {};
}
