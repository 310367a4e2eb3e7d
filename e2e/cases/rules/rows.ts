import Database from 'better-sqlite3';
import { databasePath } from '../../../adapters/io/database-path.ts';
import { fileRules, pairRules, type Rule, type Step, type Written } from './written.ts';

type Row = Record<string, unknown>;

/** Rows of a session that was written into a database, in the order in which its agent reads them. */
function rowsOf(written: Written, sql: string): Row[] {
  const place = databasePath(written.path);
  if (place === null) throw new Error(`${written.path} names no session of a database`);
  const db = new Database(place.file, { readonly: true });
  try {
    return db.prepare<[string], Row>(sql).all(place.id);
  } finally {
    db.close();
  }
}

const MESSAGES = 'SELECT * FROM messages WHERE session_id = ? ORDER BY id';
const PARTS = `SELECT m.data AS message, p.data AS part FROM message m JOIN part p ON p.message_id = m.id
  WHERE m.session_id = ? ORDER BY m.time_created, m.id, p.id`;

export const hermesText = (written: Written): string => JSON.stringify(rowsOf(written, MESSAGES));
export const opencodeText = (written: Written): string => JSON.stringify(rowsOf(written, PARTS));

const step = (kind: Step['kind'], id: string, family: string, text: string): Step => ({
  kind,
  id,
  family,
  text,
  isError: false,
});

export function hermesSteps(written: Written): Step[] {
  return rowsOf(written, MESSAGES).flatMap((row): Step[] => {
    const role = String(row.role);
    const text = String(row.content ?? '');
    if (role === 'tool') return [step('result', String(row.tool_call_id), 'tool', text)];
    const calls = JSON.parse(String(row.tool_calls ?? '[]')) as { id: string; function: { arguments: string } }[];
    const own = text === '' ? [] : [step(role === 'user' ? 'prompt' : 'reply', '', role, text)];
    return [...own, ...calls.map((call) => step('call', call.id, 'tool', call.function.arguments))];
  });
}

/** OpenCode keeps call and result in one part. */
export function opencodeSteps(written: Written): Step[] {
  return rowsOf(written, PARTS).flatMap((row): Step[] => {
    const { role } = JSON.parse(String(row.message)) as { role: string };
    const part = JSON.parse(String(row.part)) as { type: string; text?: string; callID?: string; state?: Row };
    if (part.type === 'text') return [step(role === 'user' ? 'prompt' : 'reply', '', role, part.text ?? '')];
    if (part.type !== 'tool') return [];
    const { status, input, output, error } = part.state ?? {};
    const call = step('call', String(part.callID), 'tool', JSON.stringify(input ?? {}));
    const isDone = status === 'completed' || status === 'error';
    return isDone ? [call, step('result', call.id, 'tool', String(output ?? error ?? ''))] : [call];
  });
}

const rules = (steps: (written: Written) => Step[]): Record<string, Rule> => ({
  mode_0600: fileRules.mode_0600 as Rule,
  fresh_session_id: fileRules.fresh_session_id as Rule,
  ...pairRules(steps),
});

export const hermesRules = rules(hermesSteps);
export const opencodeRules = rules(opencodeSteps);
