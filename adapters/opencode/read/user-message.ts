import type { ContentBlock, MessageSystem } from '../../../src/shared/events.ts';
import { CARRIED, carriedAbout } from '../../conversation/carried.ts';
import { isObject, type Json, seconds, textOf } from '../json.ts';
import { fileBlock, textBlock } from './content.ts';
import type { SessionLog } from './log.ts';
import { digestOf, type Message, type MessageUnits, type Part, type Surroundings } from './units.ts';

/** What OpenCode says in place of these parts (1.18.33, `toModelMessages`). */
const COMPACTION_TEXT = 'What did we do so far?';
const SUBTASK_TEXT = 'The following tool was executed by the user';

/** Known, and nothing of it goes to a model. */
const SILENT: ReadonlySet<string> = new Set(['agent', 'snapshot', 'patch', 'step-start', 'step-finish', 'retry']);
const KNOWN: ReadonlySet<string> = new Set(['text', 'file', 'compaction', 'subtask', ...SILENT]);

/** A user message: what the person said as one prompt, and beside it what the client added. */
export function userUnits(message: Message, around: Surroundings): MessageUnits {
  const sent = message.parts.filter((part) => isSent(part, message.id, around));
  const unknown = message.parts.filter(({ data }) => !KNOWN.has(String(data.type)));
  if (sent.length === 0) return { branch: [], aside: [], unknown };
  const digest = digestOf(
    sent.map(({ data }) => [data.type, data.text, data.url, data.mime, data.synthetic, data.ignored]),
  );
  const write = (log: SessionLog): void => writeMessage(message, sent, log);
  return { branch: [{ key: message.id, digest, write }], aside: [], unknown };
}

/** Also true for texts that only the person sees. */
function isSent({ data }: Part, id: string, around: Surroundings): boolean {
  if (data.type === 'text') return textOf(data.text) !== null;
  if (data.type === 'compaction') return !around.compacted.has(id);
  return data.type === 'subtask' || (data.type === 'file' && fileBlock(data) !== null);
}

function writeMessage(message: Message, sent: readonly Part[], log: SessionLog): void {
  const ts = seconds(message.created);
  for (const [part, { note, content }] of groupsOf(message, sent).entries()) {
    const from = { id: message.id, ts, part };
    if (note === null) log.put('message.user', 'user', { content, via: 'prompt' }, from);
    else log.put('message.system', 'system', { content, role: 'user', ...note } satisfies MessageSystem, from);
  }
}

type Note = Pick<MessageSystem, 'about' | 'to_model'>;

interface Group {
  /** null = what the person said, which is one prompt */
  note: Note | null;
  content: ContentBlock[];
}

/** Parts that belong together, in the order in which they are sent. A file goes with what the client says about it. */
function groupsOf(message: Message, sent: readonly Part[]): Group[] {
  const hasFiles = message.parts.some(({ data }) => data.type === 'file');
  const groups: Group[] = [];
  for (const { data } of sent) {
    const last = groups.at(-1);
    const isTold = data.type === 'file' && last?.note?.about === 'file';
    const told = isTold ? { note: last.note, text: '' } : noteOf(data, hasFiles);
    const same = ({ note }: Group): boolean =>
      note?.about === told?.note?.about && note?.to_model === told?.note?.to_model;
    const group = told === null ? groups.find(({ note }) => note === null) : last && same(last) ? last : undefined;
    const block = data.type === 'file' ? fileBlock(data)! : textBlock(told?.text ?? String(data.text));
    if (group === undefined) groups.push({ note: told?.note ?? null, content: [block] });
    else group.content.push(block);
  }
  return groups;
}

/** What no person typed; null for what one did. */
function noteOf(data: Json, hasFiles: boolean): { note: Note; text: string } | null {
  const note = (about: Note['about'], text: unknown): { note: Note; text: string } => ({
    note: { about, to_model: true },
    text: String(text),
  });
  if (data.type === 'compaction') return note('notice', COMPACTION_TEXT);
  if (data.type === 'subtask') return note('command_output', SUBTASK_TEXT);
  if (data.type !== 'text') return null;
  if (data.ignored === true) return { note: { about: 'notice' }, text: String(data.text) };
  if (data.synthetic !== true) return null;
  const { compaction_continue, [CARRIED]: carried } = isObject(data.metadata) ? data.metadata : {};
  if (compaction_continue === true) return note('notice', data.text);
  return note(carriedAbout(carried) ?? (hasFiles ? 'file' : 'reminder'), data.text);
}
