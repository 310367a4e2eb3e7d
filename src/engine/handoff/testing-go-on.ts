import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { databasePath } from '../../../adapters/io/database-path.ts';
import type { AgentId } from '../../shared/agents.ts';

/** What the person and the model say next, and what the answer used, for each agent. For tests. */
export const NEXT = { prompt: 'And now natively.', answer: 'Natively it is.', input: 700, output: 31 };

/** After the handoff, and after everything in the fixtures. */
const at = new Date(Math.max(Date.now(), Date.UTC(2027, 0)) + 5000);
const time = at.toISOString();

type Json = Record<string, unknown>;

/** Goes on with a session as its own agent does: it appends to the file, or writes rows into the database. */
export function goOn(agent: AgentId, source: string, id: string): void {
  const found = databasePath(source);
  if (found === null) {
    const path = source.endsWith('.json') ? linesBeside(source) : source;
    appendFileSync(path, LINES[agent]!(linesOf(path), id).map(line).join(''));
    return;
  }
  const db = new Database(found.file);
  try {
    ROWS[agent]!(db, found.id);
  } finally {
    db.close();
  }
}

const line = (record: Json): string => `${JSON.stringify(record)}\n`;
const linesOf = (path: string): Json[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as Json);

/** Gemini CLI goes on with a document in a file of lines beside it. */
function linesBeside(path: string): string {
  const { messages, ...header } = JSON.parse(readFileSync(path, 'utf8')) as Json & { messages: Json[] };
  writeFileSync(`${path}l`, [header, ...messages].map(line).join(''));
  return `${path}l`;
}

const LINES: Partial<Record<AgentId, (lines: Json[], id: string) => Json[]>> = {
  claude: (lines, sessionId) => {
    const parentUuid = lines.findLast(({ uuid }) => typeof uuid === 'string')!.uuid;
    const common = { isSidechain: false, sessionId, timestamp: time, version: '2.1.332' };
    const usage = { input_tokens: NEXT.input, output_tokens: NEXT.output };
    const content = [{ type: 'text', text: NEXT.answer }];
    const message = { id: 'msg_next', type: 'message', role: 'assistant', model: 'claude-opus-5-5', content, usage };
    return [
      { type: 'user', uuid: 'next-1', parentUuid, ...common, message: { role: 'user', content: NEXT.prompt } },
      { type: 'assistant', uuid: 'next-2', parentUuid: 'next-1', ...common, message },
    ];
  },
  codex: (lines) => {
    const last = lines.at(-1)!.ordinal;
    const payloads: [string, Json][] = [
      ['response_item', said('user', 'input_text', NEXT.prompt)],
      ['event_msg', { type: 'user_message', message: NEXT.prompt }],
      ['event_msg', { type: 'agent_message', message: NEXT.answer }],
      ['response_item', said('assistant', 'output_text', NEXT.answer)],
      [
        'token_usage_record',
        { response_id: 'resp_next', usage: { input_tokens: NEXT.input, output_tokens: NEXT.output } },
      ],
    ];
    return payloads.map(([type, payload], i) => ({
      timestamp: time,
      ...(typeof last === 'number' ? { ordinal: last + 1 + i } : {}),
      type,
      payload,
    }));
  },
  pi: (lines) => {
    const usage = { input: NEXT.input, output: NEXT.output, cacheRead: 0, cacheWrite: 0, totalTokens: 731 };
    const answer = { role: 'assistant', content: [{ type: 'text', text: NEXT.answer }], usage, stopReason: 'stop' };
    const prompt = { role: 'user', content: [{ type: 'text', text: NEXT.prompt }] };
    return [
      { type: 'message', id: 'aaaa0001', parentId: lines.at(-1)!.id, timestamp: time, message: prompt },
      { type: 'message', id: 'aaaa0002', parentId: 'aaaa0001', timestamp: time, message: answer },
    ];
  },
  gemini: () => [
    { id: 'next-1', timestamp: time, type: 'user', content: [{ text: NEXT.prompt }] },
    {
      id: 'next-2',
      timestamp: time,
      type: 'gemini',
      content: NEXT.answer,
      tokens: { input: NEXT.input, output: NEXT.output, cached: 0, thoughts: 0, tool: 0, total: 731 },
      model: 'gemini-3.1-pro-preview',
    },
  ],
};

const said = (role: string, type: string, text: string): Json => ({ type: 'message', role, content: [{ type, text }] });

const ROWS: Partial<Record<AgentId, (db: Database, id: string) => void>> = {
  hermes: (db, id) => {
    const add = db.prepare('INSERT INTO messages(session_id, role, content, timestamp) VALUES(?, ?, ?, ?)');
    add.run(id, 'user', NEXT.prompt, at.getTime() / 1000);
    add.run(id, 'assistant', NEXT.answer, at.getTime() / 1000 + 1);
    db.prepare(
      'UPDATE sessions SET message_count = message_count + 2, input_tokens = ?, output_tokens = ? WHERE id = ?',
    ).run(NEXT.input, NEXT.output, id);
  },
  opencode: (db, id) => {
    const ms = at.getTime();
    const model = { providerID: 'none', modelID: 'none' };
    const tokens = { input: NEXT.input, output: NEXT.output, reasoning: 0, cache: { read: 0, write: 0 } };
    const user = { role: 'user', time: { created: ms }, agent: 'build', model };
    const answer = { role: 'assistant', parentID: 'msg_zzzz1', ...model, time: { created: ms + 1 }, cost: 0, tokens };
    const message = db.prepare(
      'INSERT INTO message(id, session_id, time_created, time_updated, data) VALUES(?, ?, ?, ?, ?)',
    );
    const part = db.prepare(
      'INSERT INTO part(id, message_id, session_id, time_created, time_updated, data) VALUES(?, ?, ?, ?, ?, ?)',
    );
    message.run('msg_zzzz1', id, ms, ms, JSON.stringify(user));
    part.run('prt_zzzz1', 'msg_zzzz1', id, ms, ms, JSON.stringify({ type: 'text', text: NEXT.prompt }));
    message.run('msg_zzzz2', id, ms + 1, ms + 1, JSON.stringify(answer));
    part.run('prt_zzzz2', 'msg_zzzz2', id, ms + 1, ms + 1, JSON.stringify({ type: 'text', text: NEXT.answer }));
    part.run(
      'prt_zzzz3',
      'msg_zzzz2',
      id,
      ms + 1,
      ms + 1,
      JSON.stringify({ type: 'step-finish', reason: 'stop', tokens }),
    );
    db.prepare('UPDATE session SET time_updated = ? WHERE id = ?').run(ms + 1, id);
  },
};
