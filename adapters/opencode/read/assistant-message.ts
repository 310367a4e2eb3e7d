import type { ContextCompacted, MessageAssistant, MessageThinking } from '../../../src/shared/events.ts';
import { isObject, type Json, objectOf, seconds, textOf } from '../json.ts';
import { textBlock } from './content.ts';
import { ACTOR, type SessionLog } from './log.ts';
import { modelOf } from './model.ts';
import { callUnit } from './tool-part.ts';
import { digestOf, type Message, type MessageUnits, type Part, type Surroundings, type Unit } from './units.ts';

const SILENT: ReadonlySet<string> = new Set([
  'step-start',
  'step-finish',
  'patch',
  'snapshot',
  'agent',
  'retry',
  'subtask',
  'compaction',
  'file',
]);
const KNOWN: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool', ...SILENT]);

/** An answer: one event a text, a thought, a call; what the agent leaves out of its requests goes beside the branch. */
export function assistantUnits(message: Message, around: Surroundings): MessageUnits {
  const unknown = message.parts.filter(({ data }) => !KNOWN.has(String(data.type)));
  const summary = summaryUnit(message, around);
  if (summary !== null) return { branch: [summary], aside: [], unknown };
  const units = message.parts.flatMap((part) => partUnit(part, message, around) ?? []);
  const { error } = message.data;
  if (!isObject(error)) return { branch: units, aside: [], unknown };
  // A request that was aborted in the middle of its answer is sent with what there is of it, every other failure is not.
  const goesOn = error.name === 'MessageAbortedError' && message.parts.some(({ data }) => isOfUse(data));
  if (goesOn) return { branch: units, aside: [], unknown };
  return { branch: [errorUnit(message, error)], aside: units, unknown };
}

const isOfUse = ({ type }: Json): boolean => type !== 'step-start' && type !== 'reasoning';

function partUnit(part: Part, message: Message, around: Surroundings): Unit | null {
  const { data } = part;
  if (data.type === 'tool') return callUnit(part, message, around);
  if (data.type === 'text') return textUnit(part, message);
  return data.type === 'reasoning' ? thinkingUnit(part, message) : null;
}

function textUnit({ id, data }: Part, message: Message): Unit | null {
  if (textOf(data.text) === null) return null;
  const write = (log: SessionLog): void => {
    const payload: MessageAssistant = {
      response: message.response,
      content: [textBlock(String(data.text))],
      ...modelOf(message),
    };
    log.put('message.assistant', ACTOR, payload, { id, ts: timeOf(data, message) });
  };
  return { key: id, digest: digestOf(data.text), write };
}

function thinkingUnit({ id, data }: Part, message: Message): Unit | null {
  const text = textOf(data.text);
  const metadata = isObject(data.metadata) && Object.keys(data.metadata).length > 0 ? data.metadata : null;
  if (text === null && metadata === null) return null;
  const write = (log: SessionLog): void => {
    const payload: MessageThinking = {
      response: message.response,
      ...(text === null ? {} : { text: textBlockText(data.text) }),
      form: formOf(text, metadata),
      ...(metadata === null ? {} : { opaque: data.metadata }),
    };
    log.put('message.thinking', ACTOR, { ...payload, ...modelOf(message) }, { id, ts: timeOf(data, message) });
  };
  return { key: id, digest: digestOf(data.text, data.metadata), write };
}

const textBlockText = (text: unknown): string => String(text).toWellFormed();

/** Providers keep their proof in `metadata.<provider>` under names of their own. */
function formOf(text: string | null, metadata: Json | null): MessageThinking['form'] {
  if (metadata === null) return 'plain';
  const fields = Object.values(metadata).flatMap((value) => (isObject(value) ? Object.keys(value) : []));
  if (fields.some((field) => /signature$/i.test(field))) return 'signed';
  if (text === null) return 'encrypted';
  return fields.some((field) => /encrypted/i.test(field)) ? 'summary' : 'plain';
}

/** The finished summary of a compaction: from here on the agent sends it in place of what was before. */
function summaryUnit(message: Message, around: Surroundings): Unit | null {
  const asked = textOf(message.data.parentID);
  if (message.data.summary !== true || asked === null || !around.compacted.has(asked)) return null;
  if (textOf(message.data.finish) === null || isObject(message.data.error)) return null;
  const compaction = around.compactionOf(asked);
  if (compaction === null) return null;
  const texts = message.parts.filter(({ data }) => data.type === 'text' && textOf(data.text) !== null);
  const write = (log: SessionLog): void => {
    const payload: ContextCompacted = {
      trigger: compaction.auto ? 'auto' : 'manual',
      summary: texts.map(({ data }) => textBlock(String(data.text))),
      kept: compaction.tail === null ? [] : around.between(compaction.tail, asked),
    };
    log.put('context.compacted', 'system', payload, { id: message.id, ts: seconds(message.created) });
  };
  return {
    key: message.id,
    digest: digestOf(
      texts.map(({ data }) => data.text),
      compaction,
    ),
    write,
  };
}

/** A request that failed: told to the person, never to a model. */
function errorUnit(message: Message, error: Json): Unit {
  const write = (log: SessionLog): void => {
    const data = objectOf(objectOf(message.data.error).data);
    const text = [textOf(error.name) ?? 'Error', textOf(data.message)].filter((one) => one !== null).join(': ');
    const payload: MessageAssistant & { is_error: true } = {
      response: `${message.response}:error`,
      content: [textBlock(text)],
      ...modelOf(message),
      stop_reason: 'error',
      synthetic: true,
      is_error: true,
    };
    log.put('message.assistant', ACTOR, payload, { id: message.id, ts: seconds(message.created) });
  };
  return { key: `${message.id}:error`, digest: digestOf(error.name), write };
}

export function timeOf(data: Json, message: Message): number | null {
  return seconds(objectOf(data.time).start) ?? seconds(message.created);
}
