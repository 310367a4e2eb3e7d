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

/** The last measure of each agent, and the sessions as they stood when it was taken. */
const kept = new WeakMap<StoreReader, Map<string, { of: string; scale: Promise<TokenScale> }>>();

/**
 * What o200k tokens are worth to an agent: calibrated on its newest sessions in the store where there is enough, else as
 * stated for it. Worked out again when these are others or have grown, so that every process says the same.
 */
export async function scaleOf(reader: StoreReader, agent: string): Promise<TokenScale> {
  if (!CALIBRATED.has(agent)) return tokenScale(agent);
  const { rows } = await reader.sessions({ agent, sort: 'recent', offset: 0, limit: SESSIONS });
  const of = rows.map(({ id, events }) => `${id} ${events}`).join('\n');
  const known = kept.get(reader) ?? new Map<string, { of: string; scale: Promise<TokenScale> }>();
  kept.set(reader, known);
  const last = known.get(agent);
  if (last?.of === of) return last.scale;
  const scale = measured(
    reader,
    agent,
    rows.map(({ id }) => id),
  ).catch(() => tokenScale(agent));
  known.set(agent, { of, scale });
  return scale;
}

async function measured(reader: StoreReader, agent: string, ids: readonly string[]): Promise<TokenScale> {
  const samples: Sample[] = [];
  for (const id of ids) samples.push(...samplesOf(await newest(reader, id)));
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
