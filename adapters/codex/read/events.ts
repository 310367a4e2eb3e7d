import type { MessageAssistant } from '../../../src/shared/events.ts';
import type { Calls } from './calls.ts';
import { isObject, partsOf } from './item.ts';
import { ACTOR } from './log.ts';
import { joined, type Messages, model } from './messages.ts';
import { name } from './settings.ts';
import type { Reading } from './state.ts';
import { tokenCount } from './usage.ts';

type Json = Record<string, unknown>;

/** Events that tell nothing which a response item or an item does not tell. */
const KEEPING: ReadonlySet<string> = new Set([
  'thread_settings_applied',
  'thread_goal_updated',
  'context_compacted',
  'patch_apply_end',
  'mcp_tool_call_end',
  'web_search_end',
  'image_generation_end',
  'entered_review_mode',
  'exited_review_mode',
  'sub_agent_activity',
  'agent_reasoning_raw_content',
]);
const KEEPING_SHOWN: ReadonlySet<string> = new Set([
  'ContextCompaction',
  'CollabAgentToolCall',
  'SubAgentActivity',
  'ImageGeneration',
  'Plan',
  'Sleep',
  'HookPrompt',
  'EnteredReviewMode',
  'ExitedReviewMode',
  'FunctionCallOutput',
]);

/** `event_msg` lines: frames of turns, what the person saw, rollbacks, names. */
export class Events {
  readonly #r: Reading;
  readonly #messages: Messages;
  readonly #calls: Calls;
  readonly #handlers: Record<string, (payload: Json) => void>;

  constructor(reading: Reading, messages: Messages, calls: Calls) {
    this.#r = reading;
    this.#messages = messages;
    this.#calls = calls;
    this.#handlers = {
      user_message: (p) => messages.mirror('events', 'user', words(p.message), null),
      agent_message: (p) => messages.mirror('events', 'assistant', words(p.message), name(p.phase)),
      agent_reasoning: (p) => messages.mirror('events', 'reasoning', words(p.text), null),
      token_count: (p) => tokenCount(reading, p),
      task_started: (p) => this.#started(p),
      task_complete: (p) => this.#complete(p),
      turn_aborted: (p) => this.#aborted(p),
      thread_rolled_back: (p) => this.#rolledBack(p),
      thread_name_updated: (p) => this.#named(p),
    };
  }

  event(payload: Json, unknown: () => void): void {
    const type = String(payload.type);
    if (type === 'item_completed') this.#shown(isObject(payload.item) ? payload.item : {}, unknown);
    else if (Object.hasOwn(this.#handlers, type)) this.#handlers[type]!(payload);
    else if (KEEPING.has(type)) this.#r.accounts.declare(type);
    else unknown();
  }

  /** An item for the person: a message seen already, or more about a call. */
  #shown(item: Json, unknown: () => void): void {
    const type = String(item.type);
    if (type === 'UserMessage') this.#messages.mirror('items', 'user', joined(partsOf(item.content)), null);
    else if (type === 'AgentMessage')
      this.#messages.mirror('items', 'assistant', joined(partsOf(item.content)), name(item.phase));
    else if (type === 'Reasoning')
      this.#messages.mirror('items', 'reasoning', strings(item.summary_text) || strings(item.raw_content), null);
    else if (KEEPING_SHOWN.has(type)) this.#r.accounts.declare(`item ${type}`);
    else if (!this.#calls.overlay(item)) unknown();
  }

  #started(payload: Json): void {
    this.#endTurn();
    this.#r.state.turn = name(payload.turn_id) ?? 'turn';
    this.#r.accounts.declare('task_started');
  }

  /** A failed turn leaves its error, as a note of the client. */
  #complete({ error }: Json): void {
    this.#endTurn();
    const { log, accounts, state } = this.#r;
    if (!isObject(error)) {
      accounts.declare('task_complete');
      return;
    }
    accounts.mapped++;
    const text = typeof error.message === 'string' ? error.message : JSON.stringify(error);
    const note: MessageAssistant = {
      response: `error:${log.place.line + 1}`,
      content: [{ kind: 'text', text }],
      ...model(state.model),
      stop_reason: 'error',
      synthetic: true,
    };
    log.put('message.assistant', ACTOR, note);
  }

  #aborted({ reason }: Json): void {
    this.#endTurn();
    const { log, accounts } = this.#r;
    log.system(
      [{ kind: 'text', text: `The turn was aborted (${name(reason) ?? 'no reason given'}).` }],
      'notice',
      false,
    );
    accounts.mapped++;
  }

  #rolledBack({ num_turns }: Json): void {
    this.#endTurn();
    const { log, accounts } = this.#r;
    const turns = typeof num_turns === 'number' ? num_turns : 0;
    if (!log.rollback(turns))
      log.warn('dangling-parent', `A rollback of ${turns} turns goes back behind the beginning of this file.`);
    accounts.mapped++;
  }

  #named({ thread_name }: Json): void {
    const { log, accounts } = this.#r;
    const title = name(thread_name);
    if (title === null) {
      accounts.declare('thread_name_updated without a name');
      return;
    }
    log.meta('title', title);
    log.sink.facts({ title, title_from: 'user' });
    accounts.mapped++;
  }

  #endTurn(): void {
    const { log, state } = this.#r;
    this.#messages.settle();
    this.#calls.abandon();
    this.#messages.forget();
    log.endResponse();
    state.turn = null;
    state.turnPrompts = 0;
  }
}

const words = (value: unknown): string => (typeof value === 'string' ? value : '');
const strings = (value: unknown): string =>
  Array.isArray(value) ? value.filter((part) => typeof part === 'string').join('\n\n') : '';
