import type { AppInfo, SourceInfo } from '../shared/api.ts';

/** A command to type, and what for. */
export interface Step {
  command: string;
  why: string;
}

/** Where things stand: all that the next step depends on. */
export interface Standing {
  initialised: boolean;
  /** sessions in the store */
  sessions: number;
  sources: readonly Pick<SourceInfo, 'agent' | 'label' | 'exists' | 'enabled' | 'sessions'>[];
  agents: readonly Pick<AppInfo['agents'][number], 'id' | 'label' | 'installed' | 'can_receive'>[];
  /** the newest session of this folder */
  newest: { id: string; agent: string } | null;
}

/** What to type next, the most useful first; empty when there is nothing to work with on this machine. */
export function nextSteps({ initialised, sessions, sources, agents, newest }: Standing): Step[] {
  if (!initialised) return [{ command: 'sessionctl init', why: 'make the encrypted store' }];
  const steps: Step[] = [];
  const mayBeRead = sources.some((source) => source.enabled);
  if (newest !== null) steps.push(...goOn(newest, agents));
  else if (sessions > 0) steps.push({ command: 'sessionctl list', why: 'sessions of other folders' });
  else if (mayBeRead) steps.push({ command: 'sessionctl list', why: 'read what is there, and show it' });
  const waiting = sources.filter((source) => source.exists && !source.enabled && source.sessions > 0);
  if (waiting.length > 0) steps.push(enable(waiting, mayBeRead));
  return steps;
}

function goOn({ id, agent }: { id: string; agent: string }, agents: Standing['agents']): Step[] {
  const short = id.slice(0, 13);
  const other = agents.find((one) => one.installed && one.can_receive && one.id !== agent);
  return [
    { command: `sessionctl show ${short}`, why: 'read the newest session of this folder' },
    other === undefined
      ? { command: `sessionctl resume ${short}`, why: 'the command that goes on with it' }
      : { command: `sessionctl handoff ${short} --to ${other.id}`, why: `go on with it in ${other.label}` },
  ];
}

function enable(waiting: Standing['sources'], more: boolean): Step {
  const agents = [...new Set(waiting.map(({ agent }) => agent))].join(' ');
  const labels = [...new Set(waiting.map(({ label }) => label))].join(', ');
  return { command: `sessionctl sources enable ${agents}`, why: `let ${labels} be read${more ? ' too' : ''}` };
}
