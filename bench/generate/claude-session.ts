import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { type Random, randomOf } from './random.ts';

export interface SessionShape {
  lines: number;
  seed: number;
  /** native id of the session */
  id?: string;
  /** scales all texts; 1 gives about 1.1 KB a line */
  text?: number;
  /** changes each line after it was made, e.g. to put secrets into it */
  alter?: (record: Json, random: Random) => void;
}

/** What was written, to compare with what is found in the store. */
export interface SessionMade {
  lines: number;
  bytes: number;
  kinds: Record<string, number>;
}

type Json = Record<string, unknown>;

const WORDS = (
  'the a to of in for and with parse token session handler buffer stream index cache config module export import async ' +
  'await return error value result test suite assert expect mock server client request response header payload schema ' +
  'migrate query table column commit branch merge rebase diff patch file path folder read write append rename lock atomic ' +
  'flush sync retry timeout budget summary compact context window message tool call output input image thinking leaf node'
).split(' ');
const FOREIGN = ['naïve', 'façade', '日本語', 'проверка', '🚀', '𝒳', 'mañana', 'Zürich'];
export const CWD = '/home/dev/code/repo';
const MODEL = 'claude-sonnet-4-5-20250929';

/** Texts as a coding session has them. */
class Prose {
  readonly random: Random;
  private readonly scale: number;

  constructor(random: Random, scale: number) {
    this.random = random;
    this.scale = scale;
  }

  words(n: number): string {
    const { random } = this;
    return Array.from({ length: n }, () => random.pick(random.next() < 0.01 ? FOREIGN : WORDS)).join(' ');
  }

  text(from: number, to: number): string {
    const length = this.length(from, to);
    let out = '';
    while (out.length < length) out += this.words(this.random.int(8, 18)) + (this.random.next() < 0.2 ? '.\n\n' : '. ');
    return out.slice(0, length);
  }

  code(from: number, to: number): string {
    const { random } = this;
    const length = this.length(from, to);
    let out = '';
    for (let i = 1; out.length < length; i++) {
      const left = `${random.pick(WORDS)}${random.int(1, 99)}`;
      const right = `${random.pick(WORDS)}("${this.words(random.int(2, 5))}", { ${random.pick(WORDS)}: ${random.int(0, 999)} })`;
      out += `${String(i).padStart(6)}\t  const ${left} = ${right};\n`;
    }
    return out.slice(0, length);
  }

  file(): string {
    return `${CWD}/src/${this.random.pick(WORDS)}/${this.random.pick(WORDS)}${this.random.int(1, 40)}.ts`;
  }

  private length(from: number, to: number): number {
    return Math.round(this.random.int(from, to) * this.scale);
  }
}

interface ToolUse {
  name: string;
  input: Json;
  out: string;
  result: Json;
}

const TOOLS: readonly ((prose: Prose) => ToolUse)[] = [
  (prose) => {
    const file_path = prose.file();
    const out = prose.code(500, 1700);
    const file = { filePath: file_path, content: '', numLines: out.split('\n').length, startLine: 1, totalLines: 400 };
    return { name: 'Read', input: { file_path }, out, result: { type: 'text', file } };
  },
  (prose) => {
    const out = prose.text(300, 1500);
    const command = `npm test -- --grep "${prose.words(4)}" && git diff --stat ${prose.file()}`;
    const result = { stdout: out.slice(0, 200), stderr: '', interrupted: false, isImage: false };
    return { name: 'Bash', input: { command, description: prose.words(6) }, out, result };
  },
  (prose) => {
    const change = { old_string: prose.code(150, 500), new_string: prose.code(150, 500), replace_all: false };
    const out = `The file has been updated. A part of it, numbered:\n${prose.code(200, 700)}`;
    return {
      name: 'Edit',
      input: { file_path: prose.file(), ...change },
      out,
      result: { userModified: false, replaceAll: false },
    };
  },
  (prose) => {
    const out = prose.text(200, 1300);
    const input = { pattern: prose.words(2), path: `${CWD}/src`, output_mode: 'content', '-n': true };
    const result = { mode: 'content', numFiles: prose.random.int(1, 20), numLines: out.split('\n').length };
    return { name: 'Grep', input, out, result };
  },
  (prose) => {
    const input = { file_path: prose.file(), content: prose.code(400, 1500) };
    return { name: 'Write', input, out: 'File created successfully', result: { type: 'create' } };
  },
  (prose) => {
    const todos = Array.from({ length: prose.random.int(2, 6) }, (_, i) => ({
      content: prose.words(6),
      status: i ? 'pending' : 'in_progress',
      activeForm: prose.words(5),
    }));
    return {
      name: 'TodoWrite',
      input: { todos },
      out: 'Todos have been modified successfully.',
      result: { oldTodos: [], newTodos: [] },
    };
  },
];

/** Makes the records of one session, one call a record, without end. */
export function* claudeRecords(
  shape: Pick<SessionShape, 'seed' | 'id' | 'text'>,
): Generator<[kind: string, record: Json]> {
  const random = randomOf(shape.seed);
  const prose = new Prose(random, shape.text ?? 1);
  const sessionId = shape.id ?? random.uuid();
  let time = Date.parse('2026-07-01T08:00:00.000Z');
  let parentUuid: string | null = null;
  let context = 12000;
  let message = { id: '', request: '' };
  const base = (type: string, more: Json): Json => {
    const uuid = random.uuid();
    time += random.int(200, 9000);
    const common = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd: CWD,
      sessionId,
      version: '2.1.120',
      gitBranch: 'main',
    };
    parentUuid = uuid;
    return { ...common, type, ...more, uuid, timestamp: new Date(time).toISOString() };
  };
  const begin = () => {
    message = { id: `msg_01${random.hex(22)}`, request: `req_011${random.hex(21)}` };
    context = context > 170000 ? 15000 : context + random.int(100, 900);
  };
  const answer = (block: Json, stop_reason: string | null): Json => {
    const usage = {
      input_tokens: random.int(1, 12),
      cache_creation_input_tokens: random.int(50, 900),
      cache_read_input_tokens: context,
      output_tokens: random.int(20, 900),
      service_tier: 'standard',
    };
    const head = { model: MODEL, id: message.id, type: 'message', role: 'assistant', content: [block] };
    return base('assistant', {
      message: { ...head, stop_reason, stop_sequence: null, usage },
      requestId: message.request,
    });
  };
  for (;;) {
    const messageId = random.uuid();
    const snapshot = { messageId, trackedFileBackups: {}, timestamp: new Date(time).toISOString() };
    yield ['snapshot', { type: 'file-history-snapshot', messageId, snapshot, isSnapshotUpdate: false }];
    yield ['prompt', base('user', { message: { role: 'user', content: prose.text(80, 900) } })];
    for (let steps = random.int(4, 22); steps > 0; steps--) {
      begin();
      if (random.next() < 0.12)
        yield [
          'thinking',
          answer({ type: 'thinking', thinking: prose.text(200, 900), signature: random.hex(120) }, null),
        ];
      if (random.next() < 0.45) yield ['text', answer({ type: 'text', text: prose.text(80, 700) }, null)];
      const tool = random.pick(TOOLS)(prose);
      const id = `toolu_01${random.hex(22)}`;
      yield ['call', answer({ type: 'tool_use', id, name: tool.name, input: tool.input }, 'tool_use')];
      const failed = random.next() < 0.04;
      const content = failed ? `Error: ${prose.words(12)}` : tool.out;
      const block = { tool_use_id: id, type: 'tool_result', content, ...(failed ? { is_error: true } : {}) };
      const result = { message: { role: 'user', content: [block] }, toolUseResult: failed ? content : tool.result };
      yield ['result', base('user', result)];
    }
    begin();
    yield ['text', answer({ type: 'text', text: prose.text(200, 1400) }, 'end_turn')];
  }
}

/** Writes a Claude Code session of so many lines; the same shape gives the same bytes. */
export async function writeClaudeSession(path: string, shape: SessionShape): Promise<SessionMade> {
  const out = createWriteStream(path);
  const made: SessionMade = { lines: 0, bytes: 0, kinds: {} };
  const random = randomOf(shape.seed + 1);
  for (const [kind, record] of claudeRecords(shape)) {
    if (made.lines === shape.lines) break;
    shape.alter?.(record, random);
    const line = `${JSON.stringify(record)}\n`;
    made.lines++;
    made.bytes += Buffer.byteLength(line);
    made.kinds[kind] = (made.kinds[kind] ?? 0) + 1;
    if (!out.write(line)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  return made;
}

export type { Json };
