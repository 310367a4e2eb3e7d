import type { Candidate, Ids, Priority, Section, Seen, Trust } from './item.ts';

/** Offers an item. */
export type Add = (
  priority: Priority,
  kind: Section,
  text: string,
  provenance: number[],
  trust: Trust,
  weight: number,
  workspace?: Seen,
) => void;

/** Recent things weigh up to twice as much as old ones. `end`: the last event that was looked at. */
export function adder(items: Candidate[], ids: Ids, end: number): Add {
  return (priority, kind, text, provenance, trust, weight, workspace) => {
    const newest = provenance.at(-1) ?? end;
    const recency = end > 0 ? 1 + newest / end : 1;
    items.push({
      id: ids.next(kind, provenance[0] ?? end),
      priority,
      kind,
      text,
      provenance,
      trust,
      weight: weight * recency,
      ...(workspace === undefined ? {} : { workspace }),
    });
  };
}
