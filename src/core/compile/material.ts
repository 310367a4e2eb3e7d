import { type SessionEvent, TOOL_KINDS, type ToolKind } from '../../shared/events.ts';
import { wellFormed } from '../text.ts';
import { textOf } from '../view/content.ts';
import { toolHeader } from '../view/tool-header.ts';
import { type Decided, decisionsIn } from './decisions.ts';
import type { Said } from './said.ts';

/** What a session's events tell, sorted by what a successor asks. */
export interface Material {
  prompts: Said[];
  /** one a response, with all its text */
  replies: Said[];
  calls: Call[];
  commands: Command[];
  edits: Edit[];
  /** last state of each */
  todos: Task[];
  decisions: { seq: number; text: string; supersedes: number | null }[];
  /** decisions in words */
  decided: Decided[];
  memories: Memory[];
  summaries: Said[];
  callAt: ReadonlyMap<number, Call>;
  /** last event that was looked at */
  end: number;
}

/**
 * How a call or a command ended. A run that was cut short, refused or never answered is neither: it heals no failure, takes no
 * other run's place and is no error of its own.
 */
export type Outcome = 'ok' | 'failed' | 'unknown';

export interface Call {
  seq: number;
  ts: number | null;
  id: string;
  name: string;
  tool: ToolKind;
  header: string;
  outcome: Outcome;
  /** null: no result came */
  result: { seq: number; closed: string; text: string } | null;
}

export interface Command {
  seq: number;
  /** seconds; null = not known */
  ts: number | null;
  call: number | null;
  command: string;
  exit: number | null;
  outcome: Outcome;
  output: string;
}

export interface Memory extends Said {
  /** what a later write of it takes the place of; null = it has no name */
  name: string | null;
}

export interface Edit {
  seq: number;
  path: string;
  op: string;
  diff: string | null;
}

export interface Task {
  seq: number;
  text: string;
  status: string;
  order: number;
}

/** Sorts events (ascending, of one branch) into material. Unknown shapes are passed over. */
export function gather(events: Iterable<SessionEvent>): Material {
  const gatherer = new Gatherer();
  for (const event of events) gatherer.add(event);
  return gatherer.finish();
}

/** As `gather`, for events that come one after the other: nobody has to hold them all. */
export class Gatherer {
  readonly #material: Material = {
    prompts: [],
    replies: [],
    calls: [],
    commands: [],
    edits: [],
    todos: [],
    decisions: [],
    decided: [],
    memories: [],
    summaries: [],
    callAt: new Map(),
    end: -1,
  };
  readonly #calls = new Map<string, Call>();
  readonly #todos = new Map<string, Task>();
  readonly #lastEdit = new Map<string, Edit>();
  #response: string | null = null;

  add(event: SessionEvent): void {
    const { seq, type, payload } = event;
    const material = this.#material;
    material.end = seq;
    switch (type) {
      case 'message.user':
        if (payload.via !== 'command') push(material.prompts, seq, textOf(payload.content));
        break;
      case 'message.assistant':
        this.#reply(event);
        break;
      case 'tool.call':
        this.#call(event);
        break;
      case 'tool.result':
        this.#result(event);
        break;
      case 'command.run':
        this.#command(event);
        break;
      case 'file.edit':
        if (typeof payload.path === 'string') {
          const diff = typeof payload.diff === 'string' && payload.diff.trim() !== '' ? wellFormed(payload.diff) : null;
          this.#edit({ seq, path: wellFormed(payload.path), op: string(payload.op) || 'edit', diff });
        }
        break;
      case 'todo.add':
      case 'todo.update':
        this.#todo(event);
        break;
      case 'decision': {
        const reason = string(payload.reason);
        const supersedes = typeof payload.supersedes === 'number' ? payload.supersedes : null;
        const text = reason === '' ? string(payload.conclusion) : `${string(payload.conclusion)} (${reason})`;
        if (string(payload.conclusion) !== '') material.decisions.push({ seq, text, supersedes });
        break;
      }
      case 'memory.write':
        this.#memory(event);
        break;
      case 'context.compacted':
        push(material.summaries, seq, textOf(payload.summary));
        break;
    }
  }

  finish(): Material {
    const material = this.#material;
    const callAt = new Map(material.calls.map((call) => [call.seq, call]));
    const told = new Set<number | null>();
    for (const command of material.commands) {
      told.add(command.call);
      // agents do not always tell an exit code; the result says whether it failed, and whether it ran to its end
      const call = command.call === null ? undefined : callAt.get(command.call);
      if (call !== undefined) command.outcome = together(command, call);
    }
    for (const { seq, ts, tool, header, outcome } of material.calls) {
      if (tool !== 'shell' || told.has(seq) || header === '') continue;
      material.commands.push({
        seq,
        ts,
        call: seq,
        command: header,
        exit: null,
        outcome,
        output: '',
      });
    }
    material.commands.sort((a, b) => a.seq - b.seq);
    material.todos = [...this.#todos.values()].sort((a, b) => a.order - b.order || a.seq - b.seq);
    material.callAt = callAt;
    material.decided = decisionsIn(material);
    return material;
  }

  /** Of each file only the last change is shown whole. */
  #edit(edit: Edit): void {
    const before = this.#lastEdit.get(edit.path);
    if (before !== undefined) before.diff = null;
    this.#lastEdit.set(edit.path, edit);
    this.#material.edits.push(edit);
  }

  #reply({ seq, payload }: SessionEvent): void {
    if (payload.synthetic === true) return;
    const text = textOf(payload.content);
    const response = typeof payload.response === 'string' ? payload.response : null;
    const last = this.#material.replies.at(-1);
    if (last && response !== null && response === this.#response)
      last.text = `${last.text}\n${wellFormed(text)}`.trim();
    else push(this.#material.replies, seq, text);
    this.#response = response;
  }

  #call({ seq, ts, payload }: SessionEvent): void {
    const tool = TOOL_KINDS.find((kind): kind is ToolKind => kind === payload.tool) ?? 'other';
    const id = string(payload.call_id);
    const call: Call = {
      seq,
      ts,
      id,
      name: string(payload.name),
      tool,
      header: toolHeader(tool, payload.arguments),
      outcome: 'unknown',
      result: null,
    };
    this.#calls.set(id, call);
    this.#material.calls.push(call);
  }

  #result({ seq, payload }: SessionEvent): void {
    const call = this.#calls.get(string(payload.call_id));
    if (!call || call.result) return;
    const closed = string(payload.closed) || 'ran';
    call.result = { seq, closed, text: wellFormed(textOf(payload.content)) };
    if (closed === 'ran') call.outcome = payload.is_error === true ? 'failed' : 'ok';
  }

  #command({ seq, ts, payload, refs }: SessionEvent): void {
    const command = string(payload.cmd).trim();
    if (command === '') return;
    const call = refs.map((ref) => /^seq:(\d+)$/.exec(ref)?.[1]).find((found) => found !== undefined);
    const exit = typeof payload.exit_code === 'number' ? payload.exit_code : null;
    const output = string(payload.stdout_tail);
    this.#material.commands.push({
      seq,
      ts,
      // a ref that points to nothing earlier is damage
      call: call === undefined || Number(call) >= seq ? null : Number(call),
      command,
      exit,
      outcome: exit === null ? 'unknown' : exit === 0 ? 'ok' : 'failed',
      output,
    });
  }

  #memory({ seq, payload }: SessionEvent): void {
    const { value } = payload;
    const key = string(payload.key);
    const text = wellFormed(`${key}: ${typeof value === 'string' ? value : JSON.stringify(value ?? null)}`).trim();
    const name = key === '' ? null : JSON.stringify([string(payload.scope), key]);
    this.#material.memories.push({ seq, text, name });
  }

  #todo({ seq, payload }: SessionEvent): void {
    const id = string(payload.id);
    const known = this.#todos.get(id);
    this.#todos.set(id, {
      seq,
      text: string(payload.text) || (known?.text ?? ''),
      status: string(payload.status) || (known?.status ?? 'pending'),
      order: typeof payload.order === 'number' ? payload.order : (known?.order ?? 0),
    });
  }
}

/** What a command's exit code and its call's result say together. */
function together({ exit, outcome }: Command, call: Call): Outcome {
  if (call.result === null || (call.outcome === 'ok' && exit !== null)) return outcome;
  return call.outcome;
}

function push(list: Said[], seq: number, text: string): void {
  const said = wellFormed(text).trim();
  if (said !== '') list.push({ seq, text: said });
}

function string(value: unknown): string {
  return typeof value === 'string' ? wellFormed(value) : '';
}
