import { calibrated, type Sample, samplesOf } from '../../core/tokens/calibrate.ts';
import { type TokenScale, tokenScale } from '../../core/tokens/scale.ts';
import { activePath } from '../../core/view/branch.ts';
import type { SessionEvent } from '../../shared/events.ts';
import { takeSnapshot } from '../handoff/snapshot.ts';
import type { StoreReader } from '../store/contract.ts';

/** Agents whose tokenizer nobody publishes; their sessions tell what the provider counted. */
const CALIBRATED: ReadonlySet<string> = new Set(['claude']);
const SESSIONS = 4;
const EVENTS = 1_500;

const kept = new WeakMap<StoreReader, Map<string, Promise<TokenScale>>>();

/**
 * What o200k tokens are worth to an agent: calibrated on its newest sessions in the store where there is enough, else as
 * stated for it. Worked out once for an open store.
 */
export function scaleOf(reader: StoreReader, agent: string): Promise<TokenScale> {
  if (!CALIBRATED.has(agent)) return Promise.resolve(tokenScale(agent));
  const known = kept.get(reader) ?? new Map<string, Promise<TokenScale>>();
  kept.set(reader, known);
  const scale = known.get(agent) ?? measured(reader, agent).catch(() => tokenScale(agent));
  known.set(agent, scale);
  return scale;
}

async function measured(reader: StoreReader, agent: string): Promise<TokenScale> {
  const samples: Sample[] = [];
  const query = { agent, sort: 'recent' as const, offset: 0, limit: SESSIONS };
  for (const { id } of (await reader.sessions(query)).rows) samples.push(...samplesOf(await newest(reader, id)));
  return calibrated(samples) ?? tokenScale(agent);
}

/** The newest events of the active branch. */
async function newest(reader: StoreReader, id: string): Promise<SessionEvent[]> {
  const { index, special } = await takeSnapshot(reader, id);
  const active = activePath(index, special.leaf);
  const seqs: number[] = [];
  for (let seq = index.n - 1; seq >= 0 && seqs.length < EVENTS; seq--) if (active[seq]) seqs.push(seq);
  seqs.reverse();
  const events: SessionEvent[] = [];
  for await (const some of reader.pick(id, Uint32Array.from(seqs))) events.push(...some);
  return events;
}
