import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFixture } from '../../../fixtures/load.ts';
import { unwrap } from '../../shared/errors.ts';
import type { HandoffInput } from '../../shared/handoff.ts';
import { type Lab, makeLab } from './testing.ts';

let lab: Lab;
beforeEach(async () => {
  lab = await makeLab();
});
afterEach(() => lab.close());

const HERMES = '.hermes/state.db';
const OPENCODE = '.local/share/opencode/opencode.db';

/** Codes of the refusal that preflight tells and of what the handoff itself ends in. */
async function codes(input: Omit<HandoffInput, 'session'>): Promise<(string | null)[]> {
  const asked = { session: lab.session.id, ...input };
  const plan = unwrap(await lab.engine.call('handoff.preflight', asked));
  const done = await lab.engine.call('handoff.execute', { ...asked, operation_id: randomUUID() });
  expect(plan.ready).toBe(done.ok);
  if (!done.ok) expect(plan.refused?.message).toBe(done.error.message);
  return [plan.refused?.code ?? null, done.ok ? null : done.error.code];
}

async function change(path: string, sql: string): Promise<void> {
  const db = new Database(join(lab.home, path));
  db.exec(sql);
  db.close();
}

describe('preflight says what the handoff will say', () => {
  it.each(['claude', 'codex', 'pi', 'hermes', 'gemini'])('%s, of which nothing is here: it is written', async (to) => {
    expect(await codes({ to, cwd: lab.project })).toEqual([null, null]);
  });

  it('OpenCode, neither here nor with a database', async () => {
    expect(await codes({ to: 'opencode', cwd: lab.project })).toEqual(['target_unavailable', 'target_unavailable']);
    expect(await lab.files('.local')).toEqual([]);
  });

  it('OpenCode with a database, and with one of other tables', async () => {
    await loadFixture('opencode', '01-simple-qa', lab.home);
    await change(OPENCODE, 'ALTER TABLE session ADD COLUMN strange TEXT');
    expect(await codes({ to: 'opencode', cwd: lab.project })).toEqual([null, null]);
    await rm(join(lab.home, OPENCODE));
    await change(OPENCODE, 'CREATE TABLE session (id TEXT PRIMARY KEY, needed TEXT NOT NULL)');
    expect(await codes({ to: 'opencode', cwd: join(lab.home, 'nowhere') })).toEqual([
      'target_unsupported',
      'target_unsupported',
    ]);
  });

  it('Codex, which was never started here and makes its own files then', async () => {
    const texts = async (): Promise<(string | undefined)[]> => {
      const plan = unwrap(
        await lab.engine.call('handoff.preflight', { session: lab.session.id, to: 'codex', cwd: lab.project }),
      );
      return plan.checks.filter(({ id }) => id === 'first-start').map(({ text }) => text);
    };
    expect(await texts()).toEqual([]);
    await lab.close();
    const bin = await mkdtemp(join(tmpdir(), 'accepts-bin-'));
    await writeFile(join(bin, 'codex'), '#!/bin/sh\necho codex-cli 0.171.0\n', { mode: 0o755 });
    lab = await makeLab(['tools'], {}, { kind: 'keyfile' }, bin);
    expect(await texts()).toEqual(['Codex was never started in this home']);
    await mkdir(join(lab.home, '.codex'));
    await writeFile(join(lab.home, '.codex', 'state_5.sqlite'), '');
    expect(await texts()).toEqual([]);
    await rm(bin, { recursive: true });
  });

  it('Hermes with a database of other tables', async () => {
    await mkdir(dirname(join(lab.home, HERMES)), { recursive: true });
    await change(HERMES, 'CREATE TABLE sessions (id TEXT PRIMARY KEY)');
    expect(await codes({ to: 'hermes', cwd: lab.project })).toEqual(['target_unsupported', 'target_unsupported']);
  });
});
