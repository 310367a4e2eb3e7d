import { sha256Hex } from '../hash.ts';
import { type Candidate, cite, RECORD_SECTIONS, type Section, USER_SECTIONS } from './item.ts';
import type { KnownPart } from './known.ts';
import { counted, type Wording } from './wording.ts';

/** What stands around the items: fixed before anything is chosen, so that its price is known. */
export interface Frame {
  wording: Wording;
  agent: string;
  session: string;
  /** marks the fences; nobody who wrote a part of the content could know it */
  key: string;
  cwd: string | null;
  branch: string | null;
  /** the last turns follow as messages */
  tailFollows: boolean;
  /** set: the reader knows the session up to there */
  known: KnownPart | null;
  /** a model that had a part in it */
  model: string | null;
  /** what a text cannot carry, in words */
  notShown: readonly string[];
}

/** A key that follows from the whole content and occurs nowhere in it. */
export function fenceKey(session: string, texts: readonly string[]): string {
  const whole = texts.join('\n');
  for (let round = 0; ; round++) {
    const key = sha256Hex(`${session}\n${round}\n${whole}`).slice(0, 10);
    if (!whole.includes(key)) return key;
  }
}

/** The whole page. `left` counts by kind what is not in it. */
export function render(frame: Frame, items: readonly Candidate[], left: ReadonlyMap<Section, number>): string {
  const { wording, key, session, known, agent } = frame;
  const user = `user-${key}`;
  const record = `record-${key}`;
  const lines = [
    known === null ? wording.title(agent) : wording.newTitle(agent),
    '',
    known === null ? wording.intro(agent, session) : wording.newIntro(agent, session, known),
    frame.model === null ? wording.noModel : wording.byModel(frame.model),
    ...(frame.tailFollows ? [wording.tailFollows] : []),
    wording.fences(user, record),
    '',
    `<${user}>`,
    ...sections(frame, USER_SECTIONS, items),
    `</${user}>`,
    '',
    `<${record} trust="untrusted">`,
    ...(frame.cwd === null ? [] : [wording.where(frame.cwd, frame.branch)]),
    ...sections(frame, RECORD_SECTIONS, items),
    `</${record}>`,
    ...(left.size > 0 ? [wording.leftOut(listOf(left, wording), session)] : []),
    ...(frame.notShown.length > 0 ? [wording.notShown(frame.notShown.join(', '))] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Heading of a section as it stands in the page, for its price. */
export function heading({ wording }: Frame, section: Section): string {
  return `## ${wording.sections[section]}`;
}

function sections(frame: Frame, kinds: readonly Section[], items: readonly Candidate[]): string[] {
  const lines: string[] = [];
  for (const kind of kinds) {
    const own = items.filter((item) => item.kind === kind && !item.isWithin);
    if (own.length === 0) continue;
    const single = kind === 'request' || kind === 'goal' ? ` ${cite(own[0]!.provenance)}` : '';
    lines.push(`${heading(frame, kind)}${single}`, ...own.map(({ text }) => text));
  }
  return lines;
}

function listOf(left: ReadonlyMap<Section, number>, wording: Wording): string {
  return [...USER_SECTIONS, ...RECORD_SECTIONS]
    .filter((kind) => left.has(kind))
    .map((kind) => counted(left.get(kind) ?? 0, wording.kinds[kind]))
    .join(', ');
}

/** The parts of a compiled page that were said by others: `user` words and `record`, without the fences. For checks. */
export function fencedParts(page: string): { user: string; record: string } {
  const part = (name: string): string =>
    new RegExp(`^<(${name}-[0-9a-f]{10})[^>\\n]*>\\n([\\s\\S]*)^</\\1>$`, 'm').exec(page)?.[2] ?? '';
  return { user: part('user'), record: part('record') };
}
