import { Redactor } from '../../core/redact/redactor.ts';
import type { RedactionState } from '../../core/redact/secret-ids.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { StoreReader } from '../store/contract.ts';

/** Values that are kept or dropped whole, never altered: an id or a signature with a placeholder in it is worthless. */
const WHOLE = new Set([
  'call_id',
  'response',
  'artifact',
  'opaque',
  'signature',
  'encrypted_content',
  'data',
  'id',
  'uuid',
  'media_type',
  'kind',
]);

/** Whether the value of a field of that name is kept or dropped as a whole. */
export const isKeptWhole = (name: string): boolean => WHOLE.has(name);

/** A redactor for payloads of events; `state` is that of what was redacted of the session before. */
export function payloadRedactor(key: Uint8Array, state: RedactionState | null): Redactor {
  return new Redactor({
    key,
    state: state ?? undefined,
    protectedKey: isKeptWhole,
    // a tool's arguments have names of its own: `data` and `id` are no ids of ours there
    foreignKey: (name) => name === 'arguments',
  });
}

/** A redacted copy of an event's payload. */
export function redactedPayload(redactor: Redactor, payload: Record<string, unknown>): Record<string, unknown> {
  return redactor.record(structuredClone(payload));
}

/** As `redactedPayload`, where all names are somebody else's and none says that a value is an id of ours. */
export function redactedTexts(redactor: Redactor, payload: Record<string, unknown>): Record<string, unknown> {
  return redactor.record(structuredClone(payload), undefined, true);
}

/** Setting with the state of the redactor that what we ourselves put into a session went through. */
export const redactionSetting = (session: string): string => `redaction.${session}`;

/**
 * What redaction knows of a session: from its captures and from what we added. Null = nothing of it was redacted before. The same
 * secret keeps its number; one that a capture finds later can get a number that we gave.
 */
export async function redactionOf(
  reader: StoreReader,
  row: Pick<SessionRow, 'id' | 'source'>,
): Promise<RedactionState | null> {
  const setting = await reader.setting(redactionSetting(row.id));
  const ours = isState(setting) ? setting : null;
  // adapters keep the redactor's state in their cursor
  const cursor = row.source === null ? null : (await reader.sourceState(row.source))?.cursor?.redaction;
  const captured = isState(cursor) ? cursor : null;
  if (ours === null || captured === null) return captured ?? ours;
  return { ...captured, rules: Math.min(ours.rules, captured.rules), seen: { ...ours.seen, ...captured.seen } };
}

function isState(state: unknown): state is RedactionState {
  return typeof state === 'object' && state !== null && 'rules' in state && 'seen' in state;
}
