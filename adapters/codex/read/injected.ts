import { PREFACE_OPEN } from '../write/rollout.ts';
import { type ItemPart, isObject } from './item.ts';

/** How a message in the user or developer role is to be taken. */
export type Voice =
  | { kind: 'prompt' }
  /** put there by the harness; `conversation`: it belongs to what happened, so another agent should hear of it */
  | { kind: 'harness'; about: 'instructions' | 'environment' | 'notice' | 'command_output'; conversation: boolean }
  /** looks like the harness, but people paste such tags: an event decides whether the person typed it */
  | { kind: 'unsure'; about: 'instructions' | 'environment' | 'notice' | 'command_output'; conversation: boolean };

const instructions = { kind: 'harness', about: 'instructions', conversation: false } as const;
const environment = { kind: 'harness', about: 'environment', conversation: false } as const;
const notice = { kind: 'harness', about: 'notice', conversation: true } as const;
const command = { kind: 'harness', about: 'command_output', conversation: true } as const;

/** Kinds that Codex itself notes (≥ 0.150). A message with one `user.…` part is a prompt. */
const KINDS: Record<string, Exclude<Voice, { kind: 'prompt' | 'unsure' }>> = {
  'agents_md.instructions': instructions,
  'environments.environment_context': environment,
  'generic.turn_aborted': notice,
  'multi_agent.subagent_notification': notice,
  'shell.user_command': command,
  'compaction.summary': { ...notice, conversation: false },
};

const TAGS: readonly (readonly [RegExp, Exclude<Voice, { kind: 'prompt' | 'unsure' }>])[] = [
  [/^<environment_context\b/, environment],
  [/^<user_instructions\b|^# AGENTS\.md instructions/, instructions],
  [/^<(skill|hook_prompt|model_switch|recommended_plugins)\b/, instructions],
  [/^<(turn_aborted|subagent_notification|user_action)\b/, notice],
  [/^<user_shell_command\b/, command],
];

/** Who speaks in a response item of role user, developer or system (FORMAT.md). */
export function voiceOf(role: string, parts: readonly ItemPart[], kinds: readonly string[] | null): Voice {
  if (role !== 'user') return instructions;
  if (kinds?.some((kind) => kind !== 'unknown')) {
    if (kinds.some((kind) => kind.startsWith('user.'))) return { kind: 'prompt' };
    const known = kinds.find((kind) => Object.hasOwn(KINDS, kind));
    return known === undefined ? { ...notice, conversation: false } : KINDS[known]!;
  }
  const text = parts[0]?.kind === 'text' ? parts[0].text.trimStart() : '';
  if (text.startsWith(PREFACE_OPEN)) return notice;
  const tag = TAGS.find(([pattern]) => pattern.test(text));
  return tag === undefined ? { kind: 'prompt' } : { ...tag[1], kind: 'unsure' };
}

/** `content_item_kinds` of a response item, null where the version does not note them. */
export function kindsOf(payload: Record<string, unknown>): string[] | null {
  const passthrough = payload.internal_chat_message_metadata_passthrough;
  if (!isObject(passthrough) || !Array.isArray(passthrough.content_item_kinds)) return null;
  return passthrough.content_item_kinds.map(String);
}

const IDE = /^# Context from my IDE setup:\s[\s\S]*?^## My request for Codex:\s*/m;

/** VS Code puts the state of the editor in front of what the person typed. */
export function splitIdeContext(text: string): { context: string; request: string } | null {
  const match = text.startsWith('# Context from my IDE') ? IDE.exec(text) : null;
  return match === null || match.index !== 0
    ? null
    : { context: match[0].trimEnd(), request: text.slice(match[0].length) };
}

/** The texts that stand around a picture in a prompt. */
export function withoutImageFrames(parts: readonly ItemPart[]): ItemPart[] {
  return parts.filter((part) => part.kind !== 'text' || !/^\s*<\/?image\b[^>]*>\s*$/.test(part.text));
}
