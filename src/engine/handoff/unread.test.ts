import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../shared/errors.ts';
import { killedHandoff, type Lab, layLongSession, makeLab } from './testing.ts';

/** Few turns, but so long that the rollout is larger than what is read at once. */
const TURNS = 20;
const WORDS = 4000;

let lab: Lab;
let source: string;
beforeEach(async () => {
  lab = await makeLab(['simple-qa']);
  await layLongSession(lab.home, TURNS, WORDS);
  source = unwrap(await lab.engine.local.import({})).changed[0]!;
  await mkdir(join(lab.home, '.codex'), { recursive: true });
  await writeFile(join(lab.home, '.codex', 'config.toml'), 'model_context_window = 90000000\n');
});
afterEach(() => lab.close());

const input = () => ({ session: source, to: 'codex', cwd: lab.project, operation_id: 'large' });
const get = async (id: string) => unwrap(await lab.engine.call('sessions.get', { id }));
const listed = async () => unwrap(await lab.engine.call('sessions.list', { agent: 'codex' })).rows.map(({ id }) => id);

/** Hands off in a process that is killed before it can read what it wrote; returns the new session's id. */
async function handedOff(): Promise<string> {
  await killedHandoff(lab, input(), 'receipt');
  const { children } = await get(source);
  return children[0]!;
}

describe('a large session that was handed off', () => {
  it('is done before it is read: listed and linked at once, whole when the job has ended', async () => {
    const ended = new Promise<void>((resolve) => {
      lab.engine.subscribe((event) => event.topic === 'job' && event.job.state !== 'running' && resolve());
    });
    const result = unwrap(await lab.engine.call('handoff.execute', input()));
    expect(result.warnings).toMatchObject([{ about: 'target-version-unknown' }, { about: 'not-read-yet' }]);
    expect(await get(result.new_session)).toMatchObject({ parent: source, parent_kind: 'handoff' });
    expect(await listed()).toEqual([result.new_session]);
    await ended;
    expect((await get(result.new_session)).counts).toMatchObject({ user: TURNS, assistant: TURNS });
    expect(unwrap(await lab.engine.local.verifyStore())).toMatchObject({ ok: true });
  });

  it('is read by the next scan when the process was killed, though its source is not enabled', async () => {
    const new_session = await handedOff();
    expect(await listed()).toEqual([new_session]);
    expect((await get(new_session)).counts.user).toBe(0);
    expect(unwrap(await lab.engine.local.import({})).changed).toEqual([new_session]);
    expect(await get(new_session)).toMatchObject({
      parent: source,
      counts: { user: TURNS, assistant: TURNS },
    });
    expect(unwrap(await lab.engine.local.import({})).changed).toEqual([]);
  });

  it('is forgotten when it was taken back before anybody read it', async () => {
    await handedOff();
    unwrap(await lab.engine.call('handoff.undo', { operation_id: 'large' }));
    expect(unwrap(await lab.engine.local.import({})).changed).toEqual([]);
    expect(await listed()).toEqual([]);
  });
});
