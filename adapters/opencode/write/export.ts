import type { ContextCompacted, MessageSystem, SessionEvent, Warning } from '../../../src/shared/events.ts';
import type { MaterializeOptions } from '../../contract.ts';
import type { Step } from '../../conversation/arrange.ts';
import { responseOf } from '../../conversation/arrange.ts';
import { type Artifacts, partsOf, textsOf } from '../../conversation/blocks.ts';
import { CARRIED, carriedAs, PREFACE_NOTE } from '../../conversation/carried.ts';
import { json } from '../../conversation/json.ts';
import type { LineWriter } from '../../conversation/write.ts';
import type { Model } from '../config.ts';
import { type Json, textOf } from '../json.ts';
import { Answer, NO_TOKENS } from './answer.ts';
import { carriesThinking } from './carry.ts';
import { Ids } from './ids.ts';

type About = MessageSystem['about'];

export const PREFACE_OPEN = '<handed_over_context>';

export interface ExportOptions extends MaterializeOptions {
  model: Model;
}

/** A message as `opencode export` shows it: its record and its parts, ids included. */
export interface Exported {
  info: Json;
  parts: Json[];
}

/** Writes a session in the form of `opencode export`, one message a line. */
export class Export implements LineWriter {
  readonly #options: ExportOptions;
  readonly #emit: (line: string) => void;
  readonly #ids: Ids;
  /** ms of the last message */
  #time: number;
  #answer: Answer | null = null;
  #lastUser = '';
  #messages = 0;
  /** the last answer and what came behind it: the size of the conversation is written into the last one */
  #held: Exported[] = [];

  constructor(
    options: ExportOptions,
    first: number | null,
    emit: (line: string) => void,
    _: (warning: Warning) => void,
  ) {
    this.#options = options;
    this.#emit = emit;
    this.#ids = new Ids(options.nativeId);
    this.#time = Math.min(Math.round((first ?? options.at) * 1000), Math.round(options.at * 1000));
    emit(`{"info":${json(this.#info())},"messages":[\n`);
    const { preface } = options;
    if (preface !== undefined)
      this.#user(
        [{ text: `${PREFACE_OPEN}\n${PREFACE_NOTE}\n\n${preface.toWellFormed()}\n</handed_over_context>` }],
        carriedAs(null),
      );
  }

  step(step: Step, artifacts: Artifacts): void {
    switch (step.kind) {
      case 'prompt':
      case 'context':
        this.#between(step.event, step.kind === 'context' ? carriedAs(step.event) : null, artifacts);
        return;
      case 'summary':
        this.#summary(step.event, artifacts);
        return;
      case 'output':
        this.#answer?.output(step, artifacts);
        return;
      default:
        this.#part(step, artifacts);
    }
  }

  finish(): boolean {
    this.#close();
    const last = this.#held.find(({ info }) => info.role === 'assistant');
    const { tokens } = this.#options;
    if (last !== undefined) last.info.tokens = { ...NO_TOKENS, total: tokens, input: tokens };
    this.#release();
    this.#emit('\n]}\n');
    return this.#messages > 0;
  }

  #info(): Json {
    const { nativeId, title, cwd, version, at, model } = this.#options;
    return {
      id: nativeId,
      slug: `handoff-${nativeId.slice(-8).toLowerCase()}`,
      projectID: 'global',
      directory: cwd,
      title: title.replace(/\s+/g, ' ').trim().toWellFormed(),
      agent: AGENT_MODE,
      model: { id: model.modelID, providerID: model.providerID },
      version: version ?? UNKNOWN_VERSION,
      time: { created: this.#time, updated: Math.round(at * 1000) },
    };
  }

  #tick(event: SessionEvent): number {
    const ms = event.ts === null ? this.#time : Math.round(event.ts * 1000);
    this.#time = Math.max(this.#time, Math.min(ms, Math.round(this.#options.at * 1000)));
    return this.#time;
  }

  #between(event: SessionEvent, about: About | null, artifacts: Artifacts): void {
    this.#close();
    const parts = partsOf(event, artifacts);
    if (parts.length === 0) return;
    this.#tick(event);
    this.#user(parts, about);
  }

  /** `about`: what a note is about; null = what the person said. */
  #user(parts: ReturnType<typeof partsOf>, about: About | null): void {
    const id = this.#userMessage();
    this.#put(
      id,
      parts.map((part) =>
        'text' in part
          ? {
              type: 'text',
              text: part.text,
              ...(about === null ? {} : { synthetic: true, metadata: { [CARRIED]: about } }),
            }
          : { type: 'file', mime: part.mediaType, url: dataUrlOf(part.image, part.mediaType) },
      ),
    );
  }

  #userMessage(): Json {
    const id = this.#ids.message(this.#time);
    this.#lastUser = id;
    return { id, role: 'user', time: { created: this.#time }, agent: AGENT_MODE, model: { ...this.#options.model } };
  }

  /** A compaction of OpenCode's own where nothing stands before it, else a note: a compaction would hide that. */
  #summary(event: SessionEvent, artifacts: Artifacts): void {
    this.#close();
    const texts = textsOf(event, artifacts);
    if (texts.length === 0) return;
    this.#tick(event);
    if (this.#messages > 0) {
      this.#user(
        texts.map((text) => ({ text })),
        carriedAs(event),
      );
      return;
    }
    const auto = (event.payload as unknown as ContextCompacted).trigger !== 'manual';
    this.#put(this.#userMessage(), [{ type: 'compaction', auto }]);
    const answer = new Answer(this.#frame(), 'compaction');
    for (const text of texts) answer.text(text, this.#ids.part());
    this.#add(answer.exported({ summary: true }));
  }

  #part(step: Extract<Step, { kind: 'reply' | 'thinking' | 'call' }>, artifacts: Artifacts): void {
    const response = responseOf(step.event);
    if (this.#answer !== null && this.#answer.response !== response) this.#close();
    if (step.kind === 'thinking' && !carriesThinking(step.event)) return;
    if (step.kind === 'reply' && textsOf(step.event, artifacts).length === 0) return;
    if (this.#answer === null) {
      this.#tick(step.event);
      this.#answer = new Answer(this.#frame(step.event), AGENT_MODE, response, this.#ids.part());
    }
    const answer = this.#answer;
    if (step.kind === 'call') answer.call(step, this.#ids.part(), this.#time);
    else if (step.kind === 'thinking') answer.reasoning(step.event, this.#ids.part(), this.#time);
    else for (const text of textsOf(step.event, artifacts)) answer.text(text, this.#ids.part());
  }

  /** What every answer has: who, when, where. Answers of others keep the name of the model that gave them. */
  #frame(event?: SessionEvent): Json {
    const { model, cwd, nativeId } = this.#options;
    const native = event?.payload as { model?: unknown; provider?: unknown } | undefined;
    return {
      id: this.#ids.message(this.#time),
      sessionID: nativeId,
      role: 'assistant',
      parentID: this.#lastUser === '' ? this.#ids.part().replace('prt_', 'msg_') : this.#lastUser,
      modelID: event === undefined ? model.modelID : (textOf(native?.model) ?? 'unknown'),
      providerID: event === undefined ? model.providerID : (textOf(native?.provider) ?? event.agent),
      path: { cwd, root: cwd },
      cost: 0,
      tokens: NO_TOKENS,
      time: { created: this.#time, completed: this.#time },
    };
  }

  #close(): void {
    const answer = this.#answer;
    this.#answer = null;
    if (answer !== null) this.#add(answer.exported({}));
  }

  #put(info: Json, parts: Json[]): void {
    const ids = { sessionID: this.#options.nativeId, messageID: info.id };
    this.#add({
      info: { ...info, sessionID: ids.sessionID },
      parts: parts.map((part) => ({ id: this.#ids.part(), ...ids, ...part })),
    });
  }

  #add(message: Exported): void {
    if (message.info.role === 'assistant') this.#release();
    this.#held.push(message);
    this.#messages++;
  }

  #release(): void {
    for (const message of this.#held) {
      this.#emit(`${this.#written++ === 0 ? '' : ',\n'}${json(message)}`);
    }
    this.#held = [];
  }

  #written = 0;
}

/** The agent of OpenCode that a person works with by default. */
const AGENT_MODE = 'build';
const UNKNOWN_VERSION = '1.18.33';

export function dataUrlOf(bytes: Uint8Array, mediaType: string): string {
  return `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
}
