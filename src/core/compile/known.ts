import { type Candidate, cite, type Excluded, type Ids } from './item.ts';
import type { Found } from './must.ts';
import type { Said } from './said.ts';
import { cut } from './sentences.ts';

/** What the reader of a page knows of this session already, from our own records of handoffs. */
export interface KnownPart {
  /** the reader's agent and the id by which it resumes its session that knows */
  session: string;
  /** last event that it knows */
  seq: number;
  /** turns that session has taken since on its own */
  ownTurns: number;
  /** prompts that it knows and that were taken back here since, by a rewind or an undo */
  takenBack: readonly Said[];
}

const MOST_TAKEN_BACK = 30;

/**
 * Only what is new since `known`: what is known goes to the dropped ones. What the reader believes and is no longer so is
 * said: tasks that were closed, decisions and requests that were taken back.
 */
export function onlyNew({ items, excluded }: Found, known: KnownPart, ids: Ids): Found {
  const isKnown = ({ provenance }: { provenance: readonly number[] }): boolean =>
    provenance.length > 0 && (provenance.at(-1) ?? 0) <= known.seq;
  const changed: Candidate[] = [];
  const still: Excluded[] = [];
  for (const one of excluded) {
    const line = changeOf(one, known);
    if (line === null) still.push(one);
    else changed.push({ ...line, id: one.id, kind: 'changed' });
  }
  for (const { seq, text } of known.takenBack.slice(-MOST_TAKEN_BACK))
    changed.push({
      id: ids.next('changed', seq),
      priority: 'p0',
      kind: 'changed',
      text: `- taken back since: ${cut(text.replace(/\s+/g, ' '), 300)} ${cite([seq])}`,
      provenance: [seq],
      trust: 'user_said',
      weight: 0,
    });
  return {
    items: [...changed, ...items.filter((item) => !isKnown(item))],
    excluded: [
      ...items.filter(isKnown).map(({ id, kind, text, provenance }) => ({
        id,
        kind,
        text,
        provenance,
        reason: 'known already',
      })),
      ...still,
    ],
  };
}

/** What the reader has to unlearn, else null. */
function changeOf(
  { kind, text, reason, provenance, by }: Excluded,
  { seq }: KnownPart,
): Omit<Candidate, 'id' | 'kind'> | null {
  const known = (provenance.at(-1) ?? 0) <= seq;
  if (kind === 'decision' && known && by !== undefined && by > seq)
    return {
      priority: 'p0',
      text: `- no longer so (${reason}): ${text} ${cite(provenance)}`,
      provenance,
      trust: 'stale',
      weight: 0,
    };
  if (kind === 'todo' && !known)
    return {
      priority: 'p1',
      text: `- [${reason === 'done' ? 'x' : '-'}] ${text} (${reason}) ${cite(provenance)}`,
      provenance,
      trust: 'agent_said',
      weight: 60,
    };
  return null;
}
