import { afterEach, beforeEach, expect, it } from 'vitest';
import { unwrap } from '../../shared/errors.ts';
import type { GraphRow } from '../../shared/lineage.ts';
import { type Lab, makeLab } from '../handoff/testing.ts';

let lab: Lab;
beforeEach(async () => {
  lab = await makeLab(['tools']);
});
afterEach(() => lab.close());

const graph = async (id: string): Promise<GraphRow[]> =>
  unwrap(await lab.engine.call('lineage.graph', { id, rows: 'turns' })).rows;

const say = async (id: string, text: string): Promise<void> => {
  const content = [{ kind: 'text' as const, text }];
  unwrap(
    await lab.engine.local.append(id, [{ actor: 'user', type: 'message.user', payload: { content, via: 'prompt' } }]),
  );
};

it('a fork of a fork hangs on what was said in that fork, which is drawn once', async () => {
  const turns = unwrap(await lab.engine.call('sessions.turns', { id: lab.session.id })).turns;
  const first = unwrap(await lab.engine.call('sessions.fork', { id: lab.session.id, at_seq: turns[0]!.last_seq }));
  await say(first.session.id, 'in the fork');
  const said = unwrap(await lab.engine.call('sessions.turns', { id: first.session.id })).turns.at(-1)!;
  const second = unwrap(await lab.engine.call('sessions.fork', { id: first.session.id, at_seq: said.seq }));
  await say(second.session.id, 'in the fork of it');

  const rows = await graph(second.session.id);
  expect(rows.slice(0, 2).map(({ session, text, lane }) => [session, text, lane])).toEqual([
    [second.session.id, 'in the fork of it', 0],
    [first.session.id, 'in the fork', 0],
  ]);
  expect(rows[1]!.branches).toEqual([second.session.id]);
  expect(rows.filter(({ kind }) => kind === 'turn')).toHaveLength(turns.length + 2);
  // what is said later is seen, whoever of the family said it
  await say(first.session.id, 'and more in the fork');
  expect((await graph(second.session.id)).map(({ text }) => text)).toContain('and more in the fork');
});
