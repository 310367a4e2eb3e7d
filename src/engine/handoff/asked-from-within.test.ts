import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Records, SESSION } from '../../../adapters/claude/testing/records.ts';
import { unwrap } from '../../shared/errors.ts';
import { type Lab, makeLab } from './testing.ts';

/** An agent hands its own conversation over: the call that asks for it has no result yet. */

const OPERATION = 'mcp-1c9e0f6a-0000-4000-8000-000000000001';
const CALL = 'toolu_handing_over';
const NAME = 'mcp__sessionctl__session_handoff';

let lab: Lab;
let session: string;
beforeEach(async () => {
  lab = await makeLab([]);
  session = SESSION;
  const records = new Records();
  records.user('Hand this over to Pi.');
  records.call('msg_1', CALL, NAME, { operation_id: OPERATION });
  const folder = join(lab.home, '.claude', 'projects', '-home-dev-orchard');
  await mkdir(folder, { recursive: true });
  const lines = records.list.map((record) => `${JSON.stringify(record)}\n`);
  await writeFile(join(folder, `${SESSION}.jsonl`), lines.join(''));
  unwrap(await lab.engine.local.import({ agent: 'claude' }));
});
afterEach(() => lab.close());

async function handedOver(operation_id: string, mode: 'native' | 'context' = 'native'): Promise<string> {
  const { engine } = lab;
  const request = { session, to: 'pi', cwd: lab.project, mode, note: 'Go on with the parser.', operation_id };
  const done = unwrap(await engine.call('handoff.execute', request));
  const [file] = (await lab.files('.pi')).filter((name) => name.includes(done.native_id));
  return readFile(join(lab.home, '.pi', file!), 'utf8');
}

describe('a conversation that its own agent hands over', () => {
  it('goes on with the answer of that very call, then with the note', async () => {
    const text = await handedOver(OPERATION);
    expect(text).not.toContain('Not run');
    const lines = text.trimEnd().split('\n');
    const answer = lines.findIndex((line) => line.includes('Handed over to Pi'));
    expect(JSON.parse(lines[answer]!)).toMatchObject({ message: { role: 'toolResult', isError: false } });
    expect(lines.findIndex((line) => line.includes('Go on with the parser.'))).toBeGreaterThan(answer);
  });

  it('says what happened where another handoff carries it: nothing answered that call', async () => {
    const text = await handedOver('mcp-another-one');
    expect(text).toContain('Not run');
    expect(text).not.toContain('Handed over to Pi');
  });

  it('has no answer to a call that is not carried', async () => {
    expect(await handedOver(OPERATION, 'context')).not.toContain('Handed over to Pi');
  });
});
