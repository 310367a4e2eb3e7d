import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unwrap } from '../../shared/errors.ts';
import { SAGA_STEPS } from '../../shared/handoff.ts';
import { killedHandoff, type Lab, makeLab } from './testing.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab(['simple-qa']);
});
afterAll(() => lab.close());

const killedAt = (step: string, operation_id: string) =>
  killedHandoff(lab, { session: lab.session.id, to: 'codex', cwd: lab.project, operation_id }, step);

describe('a handoff that was killed', () => {
  for (const step of SAGA_STEPS) {
    it(`is finished by a retry, when it died after the step ${step}: exactly one session`, async () => {
      const before = { sources: await lab.hash('.claude'), rollouts: await lab.files('.codex/sessions') };
      const operation_id = `killed-${step}`;
      await killedAt(step, operation_id);
      const result = unwrap(
        await lab.engine.call('handoff.execute', {
          session: lab.session.id,
          to: 'codex',
          cwd: lab.project,
          operation_id,
        }),
      );
      const rollouts = await lab.files('.codex/sessions');
      expect(rollouts).toHaveLength(before.rollouts.length + 1);
      expect(rollouts.filter((name) => name.includes(result.native_id) && name.endsWith('.jsonl'))).toHaveLength(1);
      expect(await lab.hash('.claude')).toBe(before.sources);
      const { rows } = unwrap(await lab.engine.call('receipts.list', {}));
      expect(rows.filter((receipt) => receipt.facts.operation_id === operation_id)).toHaveLength(1);
      const made = unwrap(await lab.engine.call('sessions.get', { id: result.native_id }));
      expect(made).toMatchObject({ id: result.new_session, parent: lab.session.id, counts: lab.session.counts });
      expect(unwrap(await lab.engine.call('receipts.verify', { id: result.receipt })).ok).toBe(true);
    });
  }

  it('leaves a store that verifies whole', async () => {
    expect(unwrap(await lab.engine.local.verifyStore())).toMatchObject({ ok: true });
  });
});
