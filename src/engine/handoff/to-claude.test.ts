import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkReport } from '../../core/fidelity/report.ts';
import { unwrap } from '../../shared/errors.ts';
import type { HandoffResult } from '../../shared/handoff.ts';
import { type Lab, makeLab } from './testing.ts';

let lab: Lab;
beforeEach(async () => {
  lab = await makeLab();
});
afterEach(() => lab.close());

const handOver = async (session: string, to: string, operation_id: string): Promise<HandoffResult> =>
  unwrap(await lab.engine.call('handoff.execute', { session, to, cwd: lab.project, operation_id }));

describe('a handoff to Claude Code', () => {
  it.each(['claude', 'codex'])('writes a session that came from %s, and takes it back', async (from) => {
    const { id } = lab.session;
    const source = from === 'claude' ? id : (await handOver(id, from, 'op-1')).new_session;
    const plan = unwrap(
      await lab.engine.call('handoff.preflight', { session: source, to: 'claude', cwd: lab.project }),
    );
    checkReport(plan.fidelity);
    expect(plan).toMatchObject({ from, to: 'claude', ready: true, mode: 'native' });
    const result = await handOver(source, 'claude', 'op-2');
    expect(result.fidelity).toEqual(plan.fidelity);
    expect(result.command.text).toBe(`cd ${lab.project} && claude --resume ${result.native_id}`);
    expect(await readFile(result.files[0]!, 'utf8')).toContain(`"sessionId":"${result.native_id}"`);
    const made = unwrap(await lab.engine.call('sessions.get', { id: result.new_session }));
    expect(made).toMatchObject({ agent: 'claude', parent: source, parent_kind: 'handoff', title: lab.session.title });
    const { user, assistant, tool_call, tool_result } = lab.session.counts;
    expect(made.counts).toMatchObject({ user, assistant, tool_call, tool_result });
    unwrap(await lab.engine.call('handoff.undo', { operation_id: 'op-2' }));
    await expect(readFile(result.files[0]!)).rejects.toThrow('ENOENT');
  });

  it('is refused while the folder of the project is not known', async () => {
    expect(
      unwrap(await lab.engine.call('handoff.preflight', { session: lab.session.id, to: 'claude', cwd: 'relative' })),
    ).toMatchObject({ ready: false, refused: { code: 'unknown_cwd' } });
  });
});
