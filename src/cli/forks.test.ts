import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliLab, readLab } from './testing.ts';

let lab: CliLab;
let id: string;
beforeEach(async () => {
  ({ lab, id } = await readLab());
});
afterEach(() => lab.close());

const fork = (...args: string[]) => lab.run('fork', ...args, '--json');

describe('sessionctl fork', () => {
  it('makes a session that list, show and compile have with all that came before', async () => {
    const said = await lab.run('fork', id, '--at', '9', '--reason', 'another way');
    expect(said).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`goes on from event 9 of ${id}, with 10 events`),
    });
    const made = /sess_\w+/.exec(said.stdout)![0];
    expect((await lab.run('list')).stdout).toContain(made.slice(5, 12));
    const shown = await lab.run('show', made);
    expect(shown.stdout).toContain('parse_amount');
    expect(shown.stdout).toContain('another way');
    const { events } = (await lab.run('show', made, '--events', '--json')).json.value;
    expect(events.map((event: { seq: number }) => event.seq)).toEqual(events.map((_: unknown, i: number) => i));
    expect(events.at(-1)).toMatchObject({ type: 'session.fork', payload: { from_session: id, from_seq: 9 } });
    expect((await lab.run('compile', made, '--for', 'codex')).stdout).toContain('parse_amount');
    expect((await lab.run('receipts')).stdout).toContain('fork');
    expect(await lab.run('verify')).toMatchObject({ code: 0 });
  });

  it('of a fork works too, and the same operation twice makes one', async () => {
    const { session } = (await fork(id, '--at', '9')).json.value;
    const first = await fork(session.id, '--at', '10', '--operation', 'op');
    expect(first.json.value).toMatchObject({ from_session: session.id, from_seq: 10, replayed: false });
    const again = await fork(session.id, '--at', '10', '--operation', 'op');
    expect(again.json.value).toEqual({ ...first.json.value, replayed: true });
    const { rows } = (await lab.run('list', '--json')).json.value;
    expect(rows).toHaveLength(3);
  });

  it('says which events there are when the number is none of them', async () => {
    const out = await fork(id, '--at', '99999');
    expect(out).toMatchObject({
      code: 2,
      json: { ok: false, error: { code: 'invalid_request', details: { seq: 99999 } } },
    });
    expect(await lab.run('fork', id, '--at', 'first')).toMatchObject({ code: 2 });
    expect(await lab.run('fork', id)).toMatchObject({ code: 2, stderr: expect.stringContaining('--at') });
    expect(await fork('nobody', '--at', '1')).toMatchObject({ code: 1, json: { error: { code: 'not_found' } } });
  });
});

describe('sessionctl checkpoint', () => {
  it('marks the end of a session, and a fork comes back to it', async () => {
    const { value } = (await lab.run('checkpoint', id, '--message', 'tests green', '--json')).json;
    expect(value).toMatchObject({ session: id, seq: expect.any(Number), replayed: false });
    const event = (await lab.run('show', id, '--seq', String(value.seq), '--json')).json.value;
    expect(event).toMatchObject({ type: 'checkpoint', payload: { label: 'tests green' }, checksum: value.checksum });
    expect(await fork(id, '--at', String(value.seq))).toMatchObject({ code: 0 });
    expect((await lab.run('checkpoint', id)).stdout).toContain(`sessionctl fork ${id} --at`);
    expect(await lab.run('checkpoint', 'nobody', '--json')).toMatchObject({ code: 1 });
  });
});
