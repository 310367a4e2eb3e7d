import { sha256Hex } from '../../../src/core/hash.ts';
import type { MessageAssistant, MessageThinking, MessageUser } from '../../../src/shared/events.ts';
import { blocksOf } from './blocks.ts';
import { kindsOf, splitIdeContext, type Voice, voiceOf, withoutImageFrames } from './injected.ts';
import { type Item, type ItemPart, isObject } from './item.ts';
import { ACTOR } from './log.ts';
import { Mirrors } from './mirrors.ts';
import type { Held, PendingMirror, Reading, Role, Stream } from './state.ts';

type Json = Record<string, unknown>;
type Message = Extract<Item, { kind: 'message' }>;

/** Events whose text no one said: notes of the client to the person. */
const CLIENT_NOTES: ReadonlySet<string> = new Set(['Compact task completed', '<EXTERNAL SESSION IMPORTED>']);

const REPEATS_ITEM = 'repeats a response item';
const SUMMARY = 'summary, kept with its compaction';

/** Prompts, replies and reasoning of a thread, each once. */
export class Messages {
  readonly #r: Reading;
  readonly #mirrors: Mirrors;

  constructor(reading: Reading) {
    this.#r = reading;
    this.#mirrors = new Mirrors(reading.state, () => reading.accounts.declare(REPEATS_ITEM));
  }

  /** A response item of type message. */
  message(item: Message, payload: Json, metadata: unknown): void {
    const id = typeof payload.id === 'string' ? payload.id : null;
    if (item.role === 'assistant') this.#assistant(item.parts, payload, metadata, id);
    else this.#user(item, payload, id);
  }

  #user(item: Message, payload: Json, id: string | null): void {
    const { state, log, accounts } = this.#r;
    const parts = withoutImageFrames(item.parts);
    const text = joined(parts);
    const kinds = kindsOf(payload);
    const handedOver = state.own && kinds === null;
    const told = voiceOf(item.role, parts, kinds);
    const voice: Voice = handedOver && told.kind === 'unsure' ? { kind: 'prompt' } : told;
    const seen = item.role === 'user' ? this.#mirrors.item('user', text) : 'alone';
    this.flush('user', 'assistant', 'reasoning');
    if (seen === 'again') {
      accounts.declare('repeats an event');
      return;
    }
    const held: Held = { kind: 'user', place: log.place, id, role: item.role, parts, text, voice };
    const unsure = voice.kind === 'unsure' || (voice.kind === 'prompt' && handedOver);
    if (unsure && seen === 'alone') state.held = held;
    else this.#decide(held, voice.kind !== 'harness');
  }

  /** Writes a held message: a prompt, or what the harness put in its place. */
  #decide({ role, parts, voice }: Extract<Held, { kind: 'user' }>, isPrompt: boolean): void {
    const { log, accounts, store } = this.#r;
    log.endResponse();
    accounts.mapped++;
    if (isPrompt) {
      this.#prompt(parts);
      return;
    }
    if (voice.kind !== 'prompt' && voice.about === 'environment') this.#folder(joined(parts));
    const about = voice.kind === 'prompt' ? 'notice' : voice.about;
    const toModel = voice.kind === 'prompt' || voice.conversation;
    log.system(blocksOf(parts, store), about, toModel, role === 'developer' || role === 'system' ? role : 'user');
  }

  /** Before 0.36 the header names no project folder. */
  #folder(text: string): void {
    const { state, log } = this.#r;
    const cwd = state.cwd === null ? /<cwd>(.+?)<\/cwd>/.exec(text)?.[1] : undefined;
    if (cwd === undefined) return;
    state.cwd = cwd;
    log.sink.facts({ cwd, cwd_last: cwd });
  }

  #prompt(parts: readonly ItemPart[]): void {
    const { log, state, store } = this.#r;
    const first = parts[0];
    const ide = first?.kind === 'text' ? splitIdeContext(first.text) : null;
    if (ide !== null) log.system([{ kind: 'text', text: ide.context }], 'environment', false);
    const said: ItemPart[] = ide === null ? [...parts] : [{ kind: 'text', text: ide.request }, ...parts.slice(1)];
    const payload: MessageUser = {
      content: blocksOf(said, store),
      via: state.turn !== null && state.turnPrompts > 0 ? 'steer' : 'prompt',
    };
    state.turnPrompts++;
    state.conversation++;
    log.prompt(payload, promptKey(joined(parts)));
  }

  #assistant(parts: ItemPart[], payload: Json, metadata: unknown, id: string | null): void {
    const { state, log, accounts } = this.#r;
    const text = joined(parts);
    const seen = this.#mirrors.item('assistant', text);
    this.flush('user');
    // Reasoning that was handed over has no response item to wait for.
    if (state.own) this.flush('reasoning');
    const summary = isObject(metadata) && metadata.compaction_output === true;
    if (seen === 'again') {
      accounts.declare('repeats an event');
      return;
    }
    const phase = typeof payload.phase === 'string' ? payload.phase : null;
    const held: Held = { kind: 'assistant', place: log.place, id, parts, text, phase, response: log.response() };
    // The line of its compaction may be damaged: what was to stand in it is a reply then.
    if (state.paginated && !summary) this.#reply(held);
    else state.held = held;
  }

  #reply({ parts, phase, response }: Extract<Held, { kind: 'assistant' }>): void {
    const { log, state, accounts, store } = this.#r;
    accounts.mapped++;
    state.conversation++;
    const payload: MessageAssistant = {
      response,
      content: blocksOf(parts, store),
      ...model(state.model),
      ...(phase === null ? {} : { phase }),
    };
    log.put('message.assistant', ACTOR, payload);
  }

  reasoning(item: Extract<Item, { kind: 'reasoning' }>): void {
    const { log, state, accounts } = this.#r;
    this.flush('user');
    if (item.text !== '' && this.#mirrors.item('reasoning', item.text) === 'again') {
      accounts.declare('repeats an event');
      return;
    }
    accounts.mapped++;
    state.conversation++;
    const payload: MessageThinking = {
      response: log.response(),
      ...(item.text === '' ? {} : { text: item.text }),
      form: item.text === '' ? 'encrypted' : 'summary',
      ...(item.encrypted === null ? {} : { opaque: item.encrypted, provider: 'openai' }),
    };
    log.put('message.thinking', ACTOR, payload);
  }

  /** An event that shows a message: user_message, agent_message, agent_reasoning, or an item of these kinds. */
  mirror(stream: Stream, role: Role, text: string, phase: string | null): void {
    const { state, log, accounts } = this.#r;
    if (text.trim() === '' || CLIENT_NOTES.has(text.trim())) {
      accounts.declare('note of the client');
      return;
    }
    const { held } = state;
    // In a file of ours the event follows its prompt at once, and no other message has one.
    if (held?.kind === 'user' && role === 'user' && (state.own || held.text.trim() === text.trim())) this.release(true);
    if (this.#mirrors.event({ stream, role, text, phase, place: log.place })) accounts.declare(REPEATS_ITEM);
  }

  /** Decides about a held message. `proven`: an event says that the person typed it. */
  release(proven: boolean): void {
    const { state, log } = this.#r;
    const { held } = state;
    if (held === null) return;
    state.held = null;
    log.aside(held.place, held.id, () => {
      if (held.kind === 'assistant') this.#reply(held);
      else this.#decide(held, proven);
    });
  }

  /** The summary that a compaction repeats is no reply. */
  dropSummary(message: string): void {
    const { state, accounts } = this.#r;
    if (state.held?.kind !== 'assistant') return;
    if (!message.trimEnd().endsWith(state.held.text.trim())) {
      this.release(false);
      return;
    }
    state.held = null;
    accounts.declare(SUMMARY);
  }

  /** Events of these roles that no response item repeats become messages of their own. */
  flush(...roles: Role[]): void {
    for (const mirror of this.#mirrors.take(...roles)) this.#promote(mirror);
  }

  /** Nothing is held back any more. */
  settle(): void {
    this.release(false);
    this.flush('user', 'assistant', 'reasoning');
  }

  /** What comes from now on repeats nothing that was before. */
  forget(): void {
    this.#mirrors.forget();
  }

  #promote(mirror: PendingMirror): void {
    const { log, state, accounts } = this.#r;
    if (state.own && mirror.role !== 'reasoning') {
      accounts.declare('shown only');
      return;
    }
    this.#mirrors.promoted(mirror);
    const parts: ItemPart[] = [{ kind: 'text', text: mirror.text }];
    log.aside(mirror.place, null, () => {
      if (mirror.role === 'user') {
        log.endResponse();
        accounts.mapped++;
        this.#prompt(parts);
      } else if (mirror.role === 'assistant') {
        this.#reply({
          kind: 'assistant',
          place: mirror.place,
          id: null,
          parts,
          text: mirror.text,
          phase: mirror.phase,
          response: log.response(),
        });
      } else {
        accounts.mapped++;
        log.put('message.thinking', ACTOR, {
          response: log.response(),
          text: mirror.text,
          form: 'summary',
        } satisfies MessageThinking);
      }
    });
  }
}

/** Texts of a message without what stands between them, as events have it. */
export function joined(parts: readonly ItemPart[]): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

export function promptKey(text: string): string {
  return sha256Hex(text.trim()).slice(0, 16);
}

export const model = (name: string | null): { model?: string } => (name === null ? {} : { model: name });
