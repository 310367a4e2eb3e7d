import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unwrap } from '../../shared/errors.ts';
import { type Lab, makeLab } from '../handoff/testing.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
});
afterAll(() => lab.close());

/** A session of Claude Code whose requests grow by `each` tokens a turn. */
async function layCounted(turns: number, each: number): Promise<void> {
  const sessionId = '5e55100a-0000-4000-8000-000000000002';
  const lines: object[] = [];
  const add = (type: 'user' | 'assistant', message: object): void => {
    const at = lines.length;
    const uuid = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
    const parentUuid = at === 0 ? null : `00000000-0000-4000-8000-${String(at - 1).padStart(12, '0')}`;
    const timestamp = new Date(1_796_000_000_000 + at * 1000).toISOString();
    const common = {
      isSidechain: false,
      userType: 'external',
      cwd: '/home/dev/counted',
      sessionId,
      version: '2.1.332',
    };
    lines.push({ parentUuid, ...common, type, message: { role: type, ...message }, uuid, timestamp });
  };
  for (let turn = 1; turn <= turns; turn++) {
    add('user', { content: `Prompt ${turn}. ${'and these are more words of it '.repeat(150)}` });
    add('assistant', {
      id: `msg_${turn}`,
      type: 'message',
      model: 'claude-opus-5-5',
      content: [{ type: 'text', text: `Answer ${turn}.` }],
      stop_reason: 'end_turn',
      usage: { input_tokens: turn * each, output_tokens: 5 },
    });
  }
  const folder = join(lab.home, '.claude', 'projects', '-home-dev-counted');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${sessionId}.jsonl`), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
}

const factor = async (): Promise<number> =>
  unwrap(await lab.engine.call('compile.run', { session: lab.session.id, for: 'claude' })).factor;

describe('what tokens of o200k are worth to Claude', () => {
  it('is measured again after sessions came in, in a process that has measured before', async () => {
    expect(await factor()).toBe(1.2);
    await layCounted(60, 1_600);
    unwrap(await lab.engine.local.import({}));
    const measured = await factor();
    expect(measured).toBeGreaterThan(1.3);
    expect(await factor()).toBe(measured);
  });
});
