import { closeSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Redactor } from '../../src/core/redact/redactor.ts';
import type { RedactionState } from '../../src/core/redact/secret-ids.ts';
import { AppFailure, ok, type Result } from '../../src/shared/errors.ts';
import type { EventType, Origin, Warning } from '../../src/shared/events.ts';
import type { CaptureOptions, CaptureOutcome, CaptureSink, Cursor, NativeSource, SessionSink } from '../contract.ts';
import { compareFile, type FileMark, markFile } from '../io/files.ts';
import { type Block, blocksOf, toldBy } from './blocks.ts';
import { HISTORY } from './discover.ts';
import { openHistory, wholeLines } from './lines.ts';

/** The chat that is being read. JSON. */
interface Chat {
  /** when it began, as written (local time), with a number where two began in one second */
  id: string;
  /** last event of its tree, -1 = none */
  parent: number;
  /** group of the answer that is being read */
  response: string | null;
  /** the last thing that was said is an answer */
  answering: boolean;
  version: string | undefined;
  model: string | undefined;
}

interface AiderCursor extends Record<string, unknown> {
  version: 1;
  mark: FileMark;
  offset: number;
  line: number;
  chat: Chat | null;
  /** blocks of a chat in which nothing was said so far */
  waiting: Block[];
  /** beginnings so far */
  ids: Record<string, number>;
  redaction: RedactionState;
}

const AGENT = 'aider';
const ACTOR = 'agent:aider';

/** Reads what is new in a history: each start of Aider is a session. See `SessionAdapter.capture`. */
export async function captureHistory(
  source: NativeSource,
  cursor: Cursor | null,
  sink: CaptureSink,
  options: CaptureOptions,
): Promise<Result<CaptureOutcome>> {
  try {
    return ok(await new Capture(source, cursor as AiderCursor | null, sink, options).run());
  } catch (thrown) {
    if (thrown instanceof AppFailure) return { ok: false, error: thrown.error };
    throw thrown;
  }
}

class Capture {
  readonly #source: NativeSource;
  readonly #cursor: AiderCursor | null;
  readonly #sink: CaptureSink;
  readonly #redactor: Redactor;
  readonly #warnings: Warning[] = [];
  readonly #declared: Record<string, number> = {};
  readonly #ids: Record<string, number>;
  #records: number;
  #mapped = 0;
  #chat: Chat | null;
  #waiting: Block[];
  #session: SessionSink | null = null;
  #block: Block = { kind: 'start', text: '', line: 0 };
  #part = 0;

  constructor(source: NativeSource, cursor: AiderCursor | null, sink: CaptureSink, options: CaptureOptions) {
    this.#source = source;
    this.#cursor = cursor;
    this.#sink = sink;
    this.#redactor = new Redactor({ key: options.redactionKey, state: cursor?.redaction });
    this.#ids = { ...cursor?.ids };
    this.#chat = cursor?.chat ? { ...cursor.chat } : null;
    this.#waiting = [...(cursor?.waiting ?? [])];
    this.#records = this.#waiting.length;
  }

  async run(): Promise<CaptureOutcome> {
    const mark = markFile(this.#source.path);
    if (!mark.ok) throw new AppFailure(mark.error);
    let { offset, line } = this.#from(mark.value);
    const fd = openHistory(this.#source.path);
    try {
      for (;;) {
        const text = wholeLines(fd, offset, this.#source.path);
        if (text === null) break;
        for (const block of blocksOf(text.value, line, this.#chat?.answering === true)) this.#take(block);
        offset += text.bytes;
        line += text.lines;
        await this.#sink.drain();
      }
    } finally {
      closeSync(fd);
    }
    return this.#outcome(mark.value, offset, line);
  }

  #from(mark: FileMark): { offset: number; line: number } {
    const cursor = this.#cursor;
    if (cursor === null) return { offset: 0, line: 0 };
    const change = compareFile(cursor.mark, this.#source.path);
    const how = change.ok ? change.value : 'replaced';
    if ((how === 'same' || how === 'grown') && mark.size >= cursor.offset) return cursor;
    this.#warnings.push({
      about: how === 'truncated' ? 'source-truncated' : 'source-replaced',
      detail:
        'The history was rewritten since it was last read. What had been captured stays; reading goes on with what is added from now on.',
      file: this.#source.path,
    });
    return { offset: mark.size, line: cursor.line };
  }

  #take(raw: Block): void {
    this.#records++;
    const block = { ...raw, text: this.#redactor.text(raw.text) };
    if (block.kind === 'start') {
      this.#drop();
      this.#begin(block);
    } else if (this.#session === null && this.#chat?.parent === undefined) this.#early(block);
    else this.#apply(block);
  }

  /** A chat begins; it is a session when something is said in it. */
  #begin(block: Block): void {
    const times = (this.#ids[block.text] ?? 0) + 1;
    this.#ids[block.text] = times;
    this.#session = null;
    this.#chat = null;
    this.#waiting = [{ ...block, text: times === 1 ? block.text : `${block.text} (${times})` }];
  }

  #early(block: Block): void {
    this.#waiting.push(block);
    if (block.kind === 'tool' || isBlank(block)) return;
    const [first, ...rest] = this.#waiting;
    this.#waiting = [];
    const started = first?.kind === 'start' ? first : null;
    this.#chat = {
      id: started?.text ?? this.#source.native_id,
      parent: -1,
      response: null,
      answering: false,
      version: undefined,
      model: undefined,
    };
    this.#start(started);
    for (const one of started === null ? [first!, ...rest] : rest) this.#apply(one);
  }

  #start(block: Block | null): void {
    const session = this.#open();
    const { path } = this.#source;
    const cwd = basename(path) === HISTORY ? dirname(path) : null;
    if (cwd !== null) session.facts({ cwd, cwd_last: cwd });
    this.#at(block ?? { kind: 'start', text: '', line: 0 });
    const ts = block === null ? null : timeOf(block.text);
    this.#put('session.start', 'system', { cwd }, ts === null ? {} : { ts, native_ts: block!.text });
    if (block !== null) this.#mapped++;
    else
      session.warning({
        about: 'missing-header',
        detail: 'The history does not begin with a start of Aider.',
        file: path,
        line: 1,
      });
  }

  #open(): SessionSink {
    this.#session ??= this.#sink.session({ native_id: this.#chat!.id });
    return this.#session;
  }

  #at(block: Block): void {
    this.#block = block;
    this.#part = 0;
  }

  #apply(block: Block): void {
    this.#at(block);
    this.#mapped++;
    const chat = this.#chat!;
    chat.answering = block.kind === 'assistant';
    if (block.kind === 'user') {
      chat.response = null;
      if (isBlank(block)) {
        this.#mapped--;
        this.#declared['blank prompt'] = (this.#declared['blank prompt'] ?? 0) + 1;
        return;
      }
      const via = /^\/(?!(?:ask|code|architect|context)\s+\S)/.test(block.text) ? 'command' : 'prompt';
      this.#put('message.user', 'user', { content: textBlock(block.text), via });
    } else if (block.kind === 'assistant') {
      chat.response ??= `line-${block.line + 1}`;
      const model = chat.model === undefined ? {} : { model: chat.model };
      this.#put('message.assistant', ACTOR, { response: chat.response, content: textBlock(block.text), ...model });
    } else this.#output(block, chat);
  }

  #output(block: Block, chat: Chat): void {
    this.#put('message.system', 'system', { content: textBlock(block.text), role: 'user', about: 'notice' });
    const { version, model, usage } = toldBy(block.text);
    if (version !== undefined && version !== chat.version) this.#open().facts({ agent_version: version });
    if (model !== undefined && model !== chat.model) this.#open().facts({ model });
    chat.version = version ?? chat.version;
    chat.model = model ?? chat.model;
    if (usage !== undefined)
      this.#put('meta', 'system', {
        key: 'usage',
        value: { response: chat.response ?? `line-${block.line + 1}`, ...usage },
      });
  }

  #put(type: EventType, actor: string, payload: object, time: { ts?: number; native_ts?: string } = {}): void {
    const chat = this.#chat!;
    const origin: Origin = { agent: AGENT, native_id: null, native_seq: this.#block.line };
    if (this.#part++ > 0) origin.part = this.#part - 1;
    if (time.native_ts !== undefined) origin.native_ts = time.native_ts;
    const seq = this.#open().event({
      ts: time.ts ?? null,
      agent: AGENT,
      actor,
      type,
      level: 0,
      payload: payload as Record<string, unknown>,
      refs: [],
      parent_seq: chat.parent < 0 ? null : chat.parent,
      origin,
    });
    if (type !== 'meta') chat.parent = seq;
  }

  /** A chat in which nothing was said. */
  #drop(): void {
    if (this.#waiting.length > 0)
      this.#declared['no-conversation'] = (this.#declared['no-conversation'] ?? 0) + this.#waiting.length;
    this.#waiting = [];
  }

  #outcome(mark: FileMark, offset: number, line: number): CaptureOutcome {
    const cursor: AiderCursor = {
      version: 1,
      mark,
      offset,
      line,
      chat: this.#chat,
      waiting: this.#waiting,
      ids: this.#ids,
      redaction: this.#redactor.state(),
    };
    return {
      cursor,
      // those that wait are counted when it is clear what they are
      records: this.#records - this.#waiting.length,
      mapped: this.#mapped,
      unknown: {},
      declared: this.#declared,
      unreadable: 0,
      redactions: this.#redactor.added,
      warnings: this.#warnings,
    };
  }
}

const isBlank = ({ kind, text }: Block): boolean => kind === 'user' && (text.trim() === '' || text === '<blank>');

function textBlock(text: string): { kind: 'text'; text: string }[] {
  return [{ kind: 'text', text: text.toWellFormed() }];
}

/** The zone is that of this process, as it is for Aider. */
function timeOf(text: string): number | null {
  const match = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)/.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return new Date(year, month - 1, day, hour, minute, second).getTime() / 1000;
}
