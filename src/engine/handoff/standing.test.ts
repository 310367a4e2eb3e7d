import { readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databasePath } from '../../../adapters/io/database-path.ts';
import { loadFixture } from '../../../fixtures/load.ts';
import { unwrap } from '../../shared/errors.ts';
import type { SessionRow } from '../../shared/session.ts';
import { type Lab, makeLab } from './testing.ts';

let lab: Lab;
beforeEach(async () => {
  lab = await makeLab();
});
afterEach(() => lab.close());

const LATER = new Date(2_000_000_000_000);

async function sourceCheck({ id }: SessionRow): Promise<string | undefined> {
  const plan = unwrap(await lab.engine.call('handoff.preflight', { session: id, to: 'codex', cwd: lab.project }));
  return plan.checks.find((check) => check.id === 'source')?.text;
}

describe('what preflight says of the native source', () => {
  it('of a file that stands, has changed, and is gone', async () => {
    expect(await sourceCheck(lab.session)).toBeUndefined();
    await utimes(lab.session.source!, LATER, LATER);
    expect(await sourceCheck(lab.session)).toBe('The native session has changed since it was read');
    await rm(lab.session.source!);
    expect(await sourceCheck(lab.session)).toBe('The native session is no longer there');
  });

  it.each([
    ['hermes', 'simple-qa'],
    ['opencode', '01-simple-qa'],
    ['cursor', 'editor'],
    ['cursor', 'terminal'],
  ])('of a database of %s that stands, has changed, and is gone', async (agent, fixture) => {
    await loadFixture(agent, fixture, lab.home);
    unwrap(await lab.engine.call('sources.set', { agent, enabled: true }));
    unwrap(await lab.engine.local.import({ agent }));
    const { rows } = unwrap(await lab.engine.call('sessions.list', { agent }));
    const session = rows[0]!;
    const { file } = databasePath(session.source!)!;
    expect(await sourceCheck(session)).toBeUndefined();
    await utimes(file, LATER, LATER);
    expect(await sourceCheck(session)).toBe('The database of the native session has changed since it was read');
    const folder = join(file, '..');
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
    expect(await sourceCheck(session)).toBe('The database of the native session is no longer there');
  });
});
