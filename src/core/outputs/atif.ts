import type { AgentId } from '../../shared/agents.ts';
import { safeJson } from '../safe-text.ts';
import { AtifSteps, type FinalMetrics } from './atif-steps.ts';
import { remarksOf, titleOf } from './facts.ts';
import type { OutputSession, OutputSource } from './output.ts';

/**
 * Version of the Agent Trajectory Interchange Format that is written (Harbor, RFC 0001 of April 2026): steps of a system, a
 * user and an agent, each answer of a model one step with its calls and what they gave; sub-agents embedded, each a
 * trajectory of its own. What the format has no place for stands in `extra.sessionctl`, or is counted there.
 */
export const ATIF_VERSION = 'ATIF-v1.7';

/** Names by which Harbor knows the agents. */
const NAMES: Record<AgentId, string> = {
  claude: 'claude-code',
  codex: 'codex',
  pi: 'pi',
  hermes: 'hermes',
  opencode: 'opencode',
  gemini: 'gemini-cli',
  cursor: 'cursor',
  aider: 'aider',
};

export async function* atif(source: OutputSource): AsyncGenerator<string> {
  const [session, ...subagents] = source.sessions;
  if (session === undefined) return;
  const embedded = new Set(subagents.map(({ row }) => row.id));
  yield* trajectory(session, source, embedded, session.row.id);
  let separator = ',"subagent_trajectories":[\n';
  for (const subagent of subagents) {
    yield separator;
    yield* trajectory(subagent, source, embedded, session.row.id);
    yield '}';
    separator = ',\n';
  }
  yield subagents.length > 0 ? ']}\n' : '}\n';
}

/** A trajectory without the brace that closes it. */
async function* trajectory(
  session: OutputSession,
  { all, version }: OutputSource,
  embedded: ReadonlySet<string>,
  run: string,
): AsyncGenerator<string> {
  const { row } = session;
  const agent = {
    name: NAMES[row.agent as AgentId] ?? row.agent,
    version: row.agent_version ?? 'unknown',
    ...(row.model === null ? {} : { model_name: row.model }),
  };
  yield `{"schema_version":"${ATIF_VERSION}","session_id":${safeJson(run)},"trajectory_id":${safeJson(row.id)},"agent":${safeJson(agent)},"steps":[`;
  const steps = new AtifSteps(embedded);
  let separator = '\n';
  const text = (written: object[]): string => {
    let out = '';
    for (const step of written) {
      out += separator + safeJson(step);
      separator = ',\n';
    }
    return out;
  };
  for await (const { events, images } of session.events()) {
    for (const event of events) if (all || event.active) steps.add(event, images);
    const out = text(steps.take());
    if (out !== '') yield out;
  }
  const out = text(steps.end());
  if (out !== '') yield out;
  const remarks = remarksOf(session, all);
  yield `\n],"final_metrics":${safeJson(steps.metrics satisfies FinalMetrics)},"extra":${safeJson({ sessionctl: extra(session, version, steps.omitted) })}`;
  if (remarks.length > 0) yield `,"notes":${safeJson(remarks.join(' '))}`;
}

function extra({ row, inactive }: OutputSession, version: string, omitted: Record<string, number>): object {
  const { native_id, cwd, git_branch, parent, parent_kind, events } = row;
  return {
    version,
    title: titleOf(row),
    agent: row.agent,
    native_id,
    cwd,
    git_branch,
    parent,
    parent_kind,
    events,
    inactive,
    omitted,
  };
}
