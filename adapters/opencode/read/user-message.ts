import type { ContentBlock, MessageSystem } from '../../../src/shared/events.ts';
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

type About = MessageSystem['about'];

/** A user message: what the person said as one prompt, and in front of it what the client put beside it. */
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
  const hasFiles = message.parts.some(({ data }) => data.type === 'file');
  const said: ContentBlock[] = [];
  const notes = new Map<string, ContentBlock[]>();
  for (const { data } of sent) {
    const note = noteOf(data, hasFiles);
    if (note === null) said.push(data.type === 'file' ? fileBlock(data)! : textBlock(String(data.text)));
    else notes.set(note.key, [...(notes.get(note.key) ?? []), textBlock(note.text)]);
  }
  let part = 0;
  for (const [key, content] of notes) {
    const [about, toModel] = key.split(' ') as [About, string?];
    const payload: MessageSystem = {
      content,
      role: 'user',
      about,
      ...(toModel === undefined ? {} : { to_model: true }),
    };
    log.put('message.system', 'system', payload, { id: message.id, ts, part: part++ });
  }
  if (said.length > 0) log.put('message.user', 'user', { content: said, via: 'prompt' }, { id: message.id, ts, part });
}

/** What no person typed; null for what one did. */
function noteOf(data: Json, hasFiles: boolean): { key: string; text: string } | null {
  if (data.type === 'compaction') return { key: 'notice model', text: COMPACTION_TEXT };
  if (data.type === 'subtask') return { key: 'command_output model', text: SUBTASK_TEXT };
  if (data.type !== 'text') return null;
  if (data.ignored === true) return { key: 'notice', text: String(data.text) };
  if (data.synthetic !== true) return null;
  const continues = isObject(data.metadata) && data.metadata.compaction_continue === true;
  return { key: `${continues ? 'notice' : hasFiles ? 'file' : 'reminder'} model`, text: String(data.text) };
}
