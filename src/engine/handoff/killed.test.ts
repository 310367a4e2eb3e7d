import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unwrap } from '../../shared/errors.ts';
import { SAGA_STEPS } from '../../shared/handoff.ts';
import { type Lab, makeLab } from './testing.ts';

/** A process of its own that hands off and is killed, as by `kill -9`, in the middle of it. */
const CHILD = `
import { openEngine } from ${JSON.stringify(join(import.meta.dirname, '..', 'engine.ts'))};
const { options, input, step } = JSON.parse(process.argv[2]);
const engine = openEngine({
  ...options,
  handoffHook: (at, moment) => {
    if (at === step && moment === 'after') process.kill(process.pid, 'SIGKILL');
  },
});
await engine.call('handoff.execute', input);
`;

let lab: Lab;
let script: string;
beforeAll(async () => {
  lab = await makeLab(['simple-qa']);
  script = join(lab.home, 'child.ts');
  await writeFile(script, CHILD);
});
afterAll(() => lab.close());

async function killedAt(step: string, operation_id: string): Promise<void> {
  const input = { session: lab.session.id, to: 'codex', cwd: lab.project, operation_id };
  const child = spawn(process.execPath, [script, JSON.stringify({ options: lab.options, input, step })], {
    stdio: 'inherit',
  });
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
}

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
