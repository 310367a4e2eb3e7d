import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { loadFixture } from '../../fixtures/load.ts';
import { CWD, type Json } from './claude-session.ts';
import { type Step, steps } from './steps.ts';

/** Databases as the agents make them: the tables and triggers of a fixture, emptied, filled with generated rows. */

export interface DatabaseMade {
  path: string;
  records: number;
  bytes: number;
}

/** One session of OpenCode; a message and each of its parts is a record. With 0 records the session is not there. */
export async function writeOpenCode(home: string, records: number): Promise<DatabaseMade> {
  await loadFixture('opencode', '01-simple-qa', home);
  const path = join(home, '.local', 'share', 'opencode', 'opencode.db');
  return fill(path, (db) => {
    db.exec('DELETE FROM event; DELETE FROM event_sequence; DELETE FROM part; DELETE FROM message');
    if (records === 0) return db.exec('DELETE FROM session') && 0;
    const [session] = db.prepare('SELECT id FROM session').all() as { id: string }[];
    const message = db.prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)');
    const part = db.prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)');
    let made = 0;
    let [prompt, answer, owner] = ['', '', ''];
    const id = (kind: string) => `${kind}_${(made++).toString(16).padStart(12, '0')}0AbCdEfGhIjKlM`;
    const put = (step: Step, data: Json) =>
      part.run(id('prt'), owner, session?.id, step.at, step.at, JSON.stringify(data));
    const begin = (step: Step, data: Json) => {
      owner = id('msg');
      message.run(owner, session?.id, step.at, step.at, JSON.stringify({ ...data, time: { created: step.at } }));
    };
    const finish = (step: Step, reason: string) =>
      put(step, { type: 'step-finish', reason, tokens: TOKENS, cost: 0.003 });
    for (const step of steps(42)) {
      if (made >= records) break;
      if (step.kind === 'prompt') {
        begin(step, { role: 'user', agent: 'build', model: MODEL });
        prompt = owner;
        put(step, { type: 'text', text: step.text });
        continue;
      }
      if (step.answer !== answer && step.kind !== 'result') {
        answer = step.answer;
        const path = { cwd: CWD, root: CWD };
        begin(step, {
          role: 'assistant',
          parentID: prompt,
          mode: 'build',
          agent: 'build',
          path,
          tokens: TOKENS,
          ...MODEL,
        });
        put(step, { type: 'step-start' });
      }
      const time = { start: step.at, end: step.at };
      if (step.kind === 'thinking') put(step, { type: 'reasoning', text: step.text, time });
      if (step.kind === 'text') put(step, { type: 'text', text: step.text, time });
      if (step.kind === 'text' && step.last) finish(step, 'stop');
      if (step.kind !== 'result') continue;
      const { id: callID, name, input, text, failed } = step;
      const said = failed ? { status: 'error', error: text } : { status: 'completed', output: text, title: name };
      put(step, { type: 'tool', callID, tool: name.toLowerCase(), state: { ...said, input, metadata: {}, time } });
      finish(step, 'tool-calls');
    }
    return made;
  });
}

const MODEL = { providerID: 'anthropic', modelID: 'claude-sonnet-4-5' };
const TOKENS = { total: 1260, input: 1200, output: 60, reasoning: 0, cache: { write: 0, read: 0 } };

/** Many sessions of Hermes with so many messages together, its search filled by its own triggers. */
export async function writeHermes(home: string, sessions: number, messages: number): Promise<DatabaseMade> {
  await loadFixture('hermes', 'tool-calls', home);
  return fill(join(home, '.hermes', 'state.db'), (db) => {
    db.exec('DELETE FROM session_model_usage; DELETE FROM messages; DELETE FROM sessions');
    const session = db.prepare(
      'INSERT INTO sessions (id, source, model, started_at, cwd, title, message_count, api_call_count, input_tokens) VALUES (?, ?, ?, ?, ?, ?, ?, 1, 4720)',
    );
    const message = db.prepare(
      'INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, reasoning) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    const each = Math.floor(messages / sessions);
    for (let i = 0; i < sessions; i++) {
      const id = `20260701_${String(i).padStart(6, '0')}_abcdef`;
      let [made, reasoning, text] = [0, null as string | null, ''];
      for (const step of steps(i)) {
        if (made === each) break;
        if (made === 0)
          session.run(id, 'cli', 'anthropic/claude-sonnet-4.5', step.at / 1000, CWD, `Session ${i}`, each);
        if (step.kind === 'thinking') reasoning = step.text;
        else if (step.kind === 'text' && !step.last) text = step.text;
        else {
          const answers = step.kind === 'call' || step.kind === 'text';
          message.run(id, ...rowOf(step, text), step.at / 1000, answers ? reasoning : null);
          made++;
          if (answers) [reasoning, text] = [null, ''];
        }
      }
    }
    return sessions * each;
  });
}

/** role, content, tool_call_id, tool_calls, tool_name */
function rowOf(step: Exclude<Step, { kind: 'thinking' }>, text: string): (string | null)[] {
  if (step.kind === 'result') {
    const output = JSON.stringify({ output: step.text, exit_code: step.failed ? 1 : 0, error: null });
    return ['tool', output, step.id, null, 'terminal'];
  }
  if (step.kind !== 'call') return [step.kind === 'prompt' ? 'user' : 'assistant', step.text, null, null, null];
  const call = { name: 'terminal', arguments: JSON.stringify(step.input) };
  return [
    'assistant',
    text,
    null,
    JSON.stringify([{ id: step.id, call_id: step.id, type: 'function', function: call }]),
    null,
  ];
}

function fill(path: string, work: (db: Database) => number): DatabaseMade {
  const db = new Database(path);
  db.pragma('synchronous = OFF');
  const records = db.transaction(() => work(db))();
  db.exec('VACUUM');
  db.close();
  return { path, records, bytes: statSync(path).size };
}
