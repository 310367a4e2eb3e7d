import { estimateTokens } from '../tokens/estimate.ts';
import type { Add } from './adder.ts';
import { withoutTakenBack } from './decisions.ts';
import { staleFigures, withFiguresMarked } from './figures.ts';
import { type Candidate, cite, type Excluded, type Ids } from './item.ts';
import type { Material } from './material.ts';
import type { Said } from './said.ts';
import { cut, excerpt } from './sentences.ts';
import { type Conclusion, extractive, type Passage } from './summariser.ts';

const SAID_CHARS = 700;
const REPLY_CHARS = 900;
const SUMMARY_CHARS = 4_000;

/** What was said and is not on the page yet, oldest first: prompts, then replies. */
export interface Talk {
  passages: Passage[];
  excluded: Excluded[];
}

/**
 * The conversation for a summariser: without what was taken back, with a mark at figures that were measured again, the
 * newest `turns` prompts and replies, each text once. `taken` stands on the page already.
 */
export function talkOf(material: Material, ids: Ids, taken: readonly Candidate[], turns: number): Talk {
  const { prompts, replies, decided } = material;
  const have = new Set(
    taken
      .filter(({ kind }) => kind === 'request' || kind === 'goal' || kind === 'state')
      .map(({ provenance }) => provenance[0]),
  );
  const bySeq = Map.groupBy(decided, ({ seq }) => seq);
  const stale = staleFigures(replies.slice(-turns));
  const talk: Talk = { passages: [], excluded: [] };
  const offer = (list: readonly Said[], by: Passage['by'], max: number): void => {
    const kind = by === 'user' ? 'said' : 'reply';
    const newest = new Map(list.map(({ seq, text }) => [text, seq]));
    for (const [at, { seq, text }] of list.entries()) {
      if (have.has(seq)) continue;
      const same = newest.get(text)!;
      const reason =
        same !== seq ? `duplicate of e${same}` : at < list.length - turns ? 'older than the turns looked at' : null;
      if (reason !== null) {
        talk.excluded.push({ id: ids.next(kind, seq), kind, text: cut(text, 120), reason, provenance: [seq] });
        continue;
      }
      const current = withFiguresMarked(withoutTakenBack(text, bySeq.get(seq) ?? []), stale.get(seq));
      talk.passages.push({ seq, by, text: current, max });
    }
  };
  offer(prompts, 'user', SAID_CHARS);
  offer(replies, 'agent', REPLY_CHARS);
  return talk;
}

/** Excerpts of the conversation; those of a person are worth a little more. */
export function excerpts(passages: readonly Passage[], add: Add): void {
  for (const [at, { text, evidence }] of extractive.conclude(passages).conclusions.entries()) {
    const passage = passages[at]!;
    const line = `- ${text} ${cite(evidence)}`;
    const isUsers = passage.by === 'user';
    const worth = (isUsers ? 1.2 : 1) * estimateTokens(line) * telling(passage.text);
    add('p2', isUsers ? 'said' : 'reply', line, [...evidence], isUsers ? 'user_said' : 'agent_said', worth);
  }
}

/** A model's conclusions come before the excerpts of what they were drawn from. */
const WORTH_OF_CONCLUSION = 4;

export function concluded(conclusions: readonly Conclusion[], add: Add): void {
  for (const { text, evidence } of conclusions) {
    const line = `- ${text} ${citeAll(evidence)}`;
    add('p2', 'conclusion', line, [...evidence], 'agent_said', WORTH_OF_CONCLUSION * estimateTokens(line));
  }
}

/** All of the evidence: a reader shall be able to check a model. */
const citeAll = (evidence: readonly number[]): string => `[${evidence.map((seq) => `e${seq}`).join(' ')}]`;

/** The newest summary that an agent made of its own history; older ones are contained in it. */
export function summaries(material: Material, ids: Ids, excluded: Excluded[], add: Add): void {
  const newest = material.summaries.at(-1);
  if (newest === undefined) return;
  for (const { seq, text } of material.summaries) {
    if (seq === newest.seq) {
      const line = `${excerpt(text, SUMMARY_CHARS)} ${cite([seq])}`;
      add('p2', 'summary', line, [seq], 'agent_said', 10 * estimateTokens(text));
    } else
      excluded.push({
        id: ids.next('summary', seq),
        kind: 'summary',
        text: cut(text, 200),
        reason: `superseded by e${newest.seq}`,
        provenance: [seq],
      });
  }
}

/** "Go on" and "ok" tell a successor nothing; whatever its length, the rest is worth the same per token. */
function telling(text: string): number {
  return text.length < 24 ? 0.3 : 1;
}
