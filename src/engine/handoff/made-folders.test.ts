import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../shared/errors.ts';
import { type Lab, makeLab } from './testing.ts';

let lab: Lab;
beforeEach(async () => {
  lab = await makeLab();
});
afterEach(() => lab.close());

const run = (to: string, operation_id = `op-${to}`) =>
  lab.engine.call('handoff.execute', { session: lab.session.id, to, cwd: lab.project, operation_id });

describe('the folders that a handoff made', () => {
  it.each([
    ['codex', '.codex'],
    ['pi', '.pi'],
    ['gemini', '.gemini'],
  ])('go with it when it is taken back, as far as they are empty: %s', async (to, folder) => {
    unwrap(await run(to));
    expect(existsSync(join(lab.home, folder))).toBe(true);
    unwrap(await lab.engine.call('handoff.undo', { operation_id: `op-${to}` }));
    expect(await lab.files(folder)).toEqual([]);
    expect(existsSync(join(lab.home, folder))).toBe(false);
  });

  it('stay where they stood before, empty or not, and where something else is in them now', async () => {
    await mkdir(join(lab.home, '.pi/agent/sessions'), { recursive: true });
    const [file] = unwrap(await run('pi')).files;
    await lab.engine.call('handoff.undo', { operation_id: 'op-pi' });
    expect(existsSync(dirname(file!))).toBe(false);
    expect(existsSync(join(lab.home, '.pi/agent/sessions'))).toBe(true);
    const claude = unwrap(await run('claude')).files[0]!;
    await writeFile(join(dirname(claude), 'note'), 'of somebody');
    unwrap(await lab.engine.call('handoff.undo', { operation_id: 'op-claude' }));
    expect(existsSync(join(dirname(claude), 'note'))).toBe(true);
  });

  it('go when the handoff fails', async () => {
    await lab.close();
    lab = await makeLab(['tools'], {
      handoffHook: (step, moment) => {
        if (step === 'register' && moment === 'before') throw new Error('stopped');
      },
    });
    expect((await run('pi')).ok).toBe(false);
    expect(existsSync(join(lab.home, '.pi'))).toBe(false);
  });
});
