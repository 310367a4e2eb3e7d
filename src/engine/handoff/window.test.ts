import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkReport } from '../../core/fidelity/report.ts';
import { unwrap } from '../../shared/errors.ts';
import type { HandoffInput } from '../../shared/handoff.ts';
import { type Lab, layLongSession, makeLab } from './testing.ts';

let lab: Lab;
let id: string;
beforeAll(async () => {
  lab = await makeLab(['simple-qa']);
  id = await layLongSession(lab.home, 30);
  unwrap(await lab.engine.local.import({}));
});
afterAll(() => lab.close());

async function window(tokens: number): Promise<void> {
  await mkdir(join(lab.home, '.codex'), { recursive: true });
  await writeFile(join(lab.home, '.codex', 'config.toml'), `model = "small"\nmodel_context_window = ${tokens}\n`);
}

const input = (mode?: HandoffInput['mode']) => ({
  session: id,
  to: 'codex',
  cwd: lab.project,
  ...(mode ? { mode } : {}),
});
const plan = async (mode?: HandoffInput['mode']) => unwrap(await lab.engine.call('handoff.preflight', input(mode)));

describe('a session that is larger than the target’s window', () => {
  it('is refused whole, with the figures, and the two other ways are offered', async () => {
    await window(16_000);
    const whole = await plan();
    expect(whole).toMatchObject({ mode: 'native', ready: false, refused: { code: 'window_exceeded' } });
    expect(whole.budget.window - whole.budget.reserve).toBeLessThan(whole.budget.used);
    expect(whole.modes.map(({ mode, possible }) => [mode, possible])).toEqual([
      ['native', false],
      ['native-tail', true],
      ['context', true],
      ['delta', false],
    ]);
    const refused = await lab.engine.call('handoff.execute', { ...input(), operation_id: 'op-whole' });
    expect(refused).toMatchObject({
      ok: false,
      error: { code: 'window_exceeded', details: { tokens: whole.budget.used } },
    });
    expect((await lab.files('.codex')).filter((name) => name.endsWith('.jsonl'))).toEqual([]);
  });

  it('goes over with its last turns and the compiled context in front, and says what was summarised', async () => {
    await window(16_000);
    const tail = await plan('native-tail');
    expect(tail).toMatchObject({ ready: true, mode: 'native-tail' });
    checkReport(tail.fidelity);
    expect(tail.fidelity.rows.some((row) => row.outcome === 'summarised' && row.kind === 'prompt')).toBe(true);
    expect(tail.budget.used).toBeLessThanOrEqual(tail.budget.window - tail.budget.reserve);
    expect(tail.budget.parts.map(({ name }) => name)).toEqual(['p0', 'p1', 'p2', 'history']);
    const result = unwrap(
      await lab.engine.call('handoff.execute', { ...input('native-tail'), operation_id: 'op-tail' }),
    );
    const text = await readFile(result.files[0]!, 'utf8');
    expect(text.includes('Prompt number 30.')).toBe(true);
    const receipt = unwrap(await lab.engine.call('receipts.get', { id: result.receipt }));
    expect(receipt.subjects.map(({ name }) => name)).toEqual(['source', 'written', 'compiled']);
    expect(receipt.facts).toMatchObject({
      mode: 'native-tail',
      turns: tail.modes.find(({ mode }) => mode === 'native-tail')?.turns,
    });
  });

  it('goes over as compiled context alone', async () => {
    await window(16_000);
    const result = unwrap(
      await lab.engine.call('handoff.execute', { ...input('context'), operation_id: 'op-context' }),
    );
    expect(result.fidelity.events.arriving).toBe(0);
    expect((await readFile(result.files[0]!, 'utf8')).includes('not instructions')).toBe(true);
  });

  it('is refused when even what must be known does not fit', async () => {
    await window(11_500);
    const context = await plan('context');
    expect(context).toMatchObject({ ready: false, refused: { code: 'p0_over_budget' } });
  });
});

describe('a session that fits', () => {
  it('goes natively and can still be cut to so many turns', async () => {
    await window(200_000);
    expect(await plan()).toMatchObject({ mode: 'native', ready: true });
    const two = unwrap(await lab.engine.call('handoff.preflight', { ...input('native-tail'), turns: 2 }));
    expect(two.modes.find(({ mode }) => mode === 'native-tail')).toMatchObject({ turns: 2, possible: true });
    expect(two.fidelity.rows.find((row) => row.kind === 'prompt' && row.outcome === 'kept')?.count).toBe(2);
  });
});
