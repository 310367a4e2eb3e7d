import { queryOptions, useQueries } from '@tanstack/react-query';
import type { AppInfo } from '../../../shared/api.ts';
import type { HandoffInput, HandoffPlan } from '../../../shared/handoff.ts';
import type { SessionRow } from '../../../shared/session.ts';
import type { Client } from '../../app/client.ts';
import { useClient } from '../../app/client-context.ts';

/** A plan is made from files that change under it: after five seconds it is made again. */
const FRESH_MS = 5000;

export const planQuery = (client: Client, input: HandoffInput) =>
  queryOptions({
    queryKey: ['plan', input],
    queryFn: ({ signal }) => client.call('handoff.preflight', input, signal),
    staleTime: FRESH_MS,
    gcTime: 60_000,
  });

/** The plans of one session into each agent that can receive it. Making them has no effect anywhere. */
export function usePlans(
  session: SessionRow | null,
  agents: readonly AppInfo['agents'][number][],
): Map<string, HandoffPlan> {
  const client = useClient();
  const targets = session === null ? [] : agents.filter((agent) => agent.can_receive);
  const answers = useQueries({
    queries: targets.map((agent) => planQuery(client, { session: session?.id ?? '', to: agent.id })),
  });
  return new Map(targets.flatMap((agent, i) => (answers[i]?.data ? [[agent.id, answers[i].data] as const] : [])));
}
