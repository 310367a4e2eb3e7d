/** The records of a session file, without trust in their shape. Kinds and their order are those of the client's reader. */

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A message as the client lists it: anything with an id. */
export type Message = Json & { id: string };

const TYPES: ReadonlySet<unknown> = new Set(['user', 'gemini', 'info', 'warning', 'error']);

/** False for a record, or a message, of a kind that this adapter does not know; the client would still list the message. */
export function isKnownKind(record: Json): boolean {
  const native = recordOf(record);
  return native.kind === 'message' ? TYPES.has(native.message.type) : native.kind !== 'unknown';
}

export type NativeRecord =
  | { kind: 'rewind'; to: string }
  | { kind: 'message'; message: Message }
  /** `messages` null = the list stays as it is */
  | { kind: 'set'; set: Json; messages: Message[] | null }
  | { kind: 'header'; header: Json; messages: Message[] }
  | { kind: 'unknown' };

export function recordOf(record: Json): NativeRecord {
  if (typeof record.$rewindTo === 'string') return { kind: 'rewind', to: record.$rewindTo };
  if (isMessage(record)) return { kind: 'message', message: record };
  if (isObject(record.$set)) {
    const { messages } = record.$set;
    return { kind: 'set', set: record.$set, messages: Array.isArray(messages) ? messages.filter(isMessage) : null };
  }
  if (
    typeof record.sessionId === 'string' &&
    (typeof record.projectHash === 'string' || Array.isArray(record.messages))
  )
    return { kind: 'header', header: record, messages: messagesOf(record) };
  return { kind: 'unknown' };
}

function messagesOf({ messages }: Json): Message[] {
  return Array.isArray(messages) ? messages.filter(isMessage) : [];
}

export function isMessage(value: unknown): value is Message {
  return isObject(value) && typeof value.id === 'string';
}

/** Parts of a content: a string is one text. */
export function partsOf(content: unknown): Json[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  if (isObject(content)) return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) =>
    typeof part === 'string' ? [{ text: part }] : isObject(part) ? [part] : [],
  );
}

/** Whether the file holds a conversation: a prompt or an answer, as opposed to context and notices. */
export function isConversation(message: Message): boolean {
  if (message.type === 'gemini') return true;
  if (message.type !== 'user') return false;
  const parts = partsOf(message.content);
  return parts.some((part) => !isInjected(part) && part.functionResponse === undefined);
}

/** What the client itself puts into the user role. */
export function isInjected(part: Json): boolean {
  return typeof part.text === 'string' && /^\s*<(session|hook)_context>/.test(part.text);
}

/** Whether a record brings any prompt or answer. */
export function holdsConversation(record: Json): boolean {
  const native = recordOf(record);
  if (native.kind === 'message') return isConversation(native.message);
  return (native.kind === 'set' || native.kind === 'header') && (native.messages ?? []).some(isConversation);
}
