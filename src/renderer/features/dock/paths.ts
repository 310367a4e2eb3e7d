import type { AppInfo } from '../../../shared/api.ts';
import type { HandoffPlan } from '../../../shared/handoff.ts';
import { t } from '../../i18n/t.ts';
import type { IconName } from '../../ui/icon.tsx';

type AgentInfo = AppInfo['agents'][number];

/** The way a session would take into an agent, said before the drop. */
export interface Path {
  kind: 'native' | 'tail' | 'context' | 'none';
  icon: IconName;
  word: string;
  why: string;
  possible: boolean;
}

const ICONS: Record<Path['kind'], IconName> = { native: 'native', tail: 'bridge', context: 'brief', none: 'no' };

const path = (kind: Path['kind'], why: string): Path => ({
  kind,
  icon: ICONS[kind],
  word: t.dock.paths[kind],
  why,
  possible: kind !== 'none',
});

/** From what is known of the agent at once, made exact by the plan as soon as it is there. */
export function pathTo(agent: AgentInfo, from: string, plan: HandoffPlan | undefined): Path {
  if (!agent.can_receive) return path('none', agent.why_not ?? t.dock.notHere);
  if (plan?.mode === 'native-tail') {
    return path('tail', t.dock.why.tail(plan.modes.find((mode) => mode.mode === 'native-tail')?.turns ?? 0));
  }
  if (plan?.mode === 'context') return path('context', t.dock.why.context);
  if (!agent.installed) return path('native', t.dock.why.absent(agent.label));
  return path('native', agent.id === from ? t.dock.why.same : t.dock.why.native(agent.label));
}

export const ghostWords = (agent: string, { kind }: Path): string =>
  t.dock.ghost(agent, kind === 'none' ? t.dock.paths.none : t.dock.ghostPaths[kind]);

/** Agents in the order of the dock: the others first, those that cannot receive last. */
export function dockOrder(agents: readonly AgentInfo[], from: string): AgentInfo[] {
  const rank = (agent: AgentInfo) => (agent.can_receive ? 0 : 2) + (agent.id === from ? 1 : 0);
  return [...agents].sort((a, b) => rank(a) - rank(b));
}
