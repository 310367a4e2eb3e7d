import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { activePath, leafEvent } from './branch.ts';
import { CODE, CONVERSATION } from './codes.ts';
import { LogBuilder } from './testing.ts';
import { Tree } from './tree.ts';

/** Active conversation events, as the branch sees them. */
function conversation(log: LogBuilder, leaf: number | null = null): number[] {
  const index = log.index();
  const active = activePath(index, leaf);
  return log.events.map((event) => event.seq).filter((seq) => active[seq] && CONVERSATION[index.type[seq]!]);
}

describe('activePath', () => {
  it('is the whole log when nothing was rewound', () => {
    const log = new LogBuilder();
    log.user('a');
    log.assistant('r1', 'b');
    log.user('c');
    expect(conversation(log)).toEqual([0, 1, 2]);
    expect(Tree.of(log.index()).leaves).toBe(1);
  });

  it('leaves a rewound attempt out and counts two branches', () => {
    const log = new LogBuilder();
    const first = log.user('a');
    const reply = log.assistant('r1', 'b', first);
    const dead = log.user('wrong', reply);
    log.assistant('r2', 'wrong answer', dead);
    const again = log.user('right', reply);
    const last = log.assistant('r3', 'right answer', again);
    expect(conversation(log)).toEqual([first, reply, again, last]);
    expect(Tree.of(log.index()).leaves).toBe(2);
  });

  it('keeps all parallel calls and results when the path runs through one of them', () => {
    // as Claude Code ≥ 2.1.197 writes it: each result hangs on its own call, the next answer on the last result written
    const log = new LogBuilder();
    log.user('which are behind?');
    const text = log.assistant('r1', 'checking');
    const a = log.call('r1', 'A', 'shell', {}, text);
    const b = log.call('r1', 'B', 'shell', {}, a);
    const c = log.call('r1', 'C', 'shell', {}, b);
    const rb = log.result('B', '', b);
    const rc = log.result('C', '', c);
    const ra = log.result('A', '', a);
    const end = log.assistant('r2', 'done', ra);
    expect(conversation(log)).toEqual([0, text, a, b, c, rb, rc, ra, end]);
    expect(Tree.of(log.index()).leaves).toBe(1);
  });

  it('does not bring back calls and results of an abandoned answer', () => {
    const log = new LogBuilder();
    const first = log.user('a');
    const a = log.call('r1', 'A', 'shell', {}, first);
    const b = log.call('r1', 'B', 'shell', {}, a);
    log.result('A', '', a);
    log.result('B', '', b);
    const again = log.user('b', first);
    expect(conversation(log)).toEqual([first, again]);
  });

  it('is not led astray by attachments and records that are no conversation', () => {
    const log = new LogBuilder();
    const first = log.user('a');
    const reply = log.assistant('r1', 'b');
    const hook = log.system('late hook', first);
    const unknown = log.event('meta', { key: 'unknown', value: {} }, { parent: first });
    const note = log.system('after the reply', reply);
    expect(conversation(log)).toEqual([first, reply, note]);
    expect(activePath(log.index())[hook]).toBe(0);
    expect(activePath(log.index())[unknown]).toBe(1);
    expect(Tree.of(log.index()).leaves).toBe(1);
  });

  it('follows a leaf event until the conversation goes on', () => {
    const log = new LogBuilder();
    const first = log.user('a');
    const one = log.assistant('r1', 'one', first);
    const two = log.assistant('r2', 'two', first);
    const leaf = log.meta('leaf', one);
    expect(leafEvent(log.index())).toBe(leaf);
    expect(conversation(log, one)).toEqual([first, one]);
    const more = log.user('on', one);
    expect(leafEvent(log.index())).toBe(-1);
    expect(conversation(log)).toEqual([first, one, more]);
    expect(conversation(log)).not.toContain(two);
  });

  it('ignores a leaf that is no event', () => {
    const log = new LogBuilder();
    log.user('a');
    log.meta('leaf', 99);
    expect(conversation(log, 99)).toEqual([0]);
  });

  it('goes on through a compaction', () => {
    const log = new LogBuilder();
    log.user('a');
    log.assistant('r1', 'b');
    log.compacted([]);
    log.user('c');
    expect(conversation(log)).toEqual([0, 1, 2, 3]);
    expect(Tree.of(log.index()).leaves).toBe(1);
  });

  it('keeps one branch when a prompt was queued into the middle of an answer', () => {
    const log = new LogBuilder();
    log.user('a');
    log.assistant('r1', 'b');
    log.user('and also', undefined, 'queued');
    log.call('r1', 'A');
    log.result('A');
    expect(Tree.of(log.index())).toMatchObject({ leaves: 1, straight: true });
  });

  it('survives parents that point forward or at themselves', () => {
    const log = new LogBuilder();
    log.user('a', 5);
    log.user('b', 1);
    expect(conversation(log)).toEqual([1]);
  });

  it('holds for any tree: the leaf is in, parents of path events are in, results only with a call or result', () => {
    const node = fc.tuple(
      fc.constantFrom('user', 'assistant', 'call', 'result', 'system', 'meta'),
      fc.nat(),
      fc.nat(3),
    );
    fc.assert(
      fc.property(fc.array(node, { maxLength: 60 }), (nodes) => {
        const log = new LogBuilder();
        for (const [seq, [kind, parent, response]] of nodes.entries()) {
          const below = seq === 0 ? null : parent % seq;
          if (kind === 'user') log.user('x', below);
          else if (kind === 'assistant') log.assistant(`r${response}`, 'x', below);
          else if (kind === 'call') log.call(`r${response}`, `c${seq}`, 'shell', {}, below);
          else if (kind === 'result') log.result(`c${response}`, 'x', below);
          else if (kind === 'system') log.system('x', below);
          else log.meta('mode', 'x');
        }
        const index = log.index();
        const active = activePath(index);
        const cores = nodes.flatMap(([kind], seq) => (kind === 'system' || kind === 'meta' ? [] : [seq]));
        const tip = cores.at(-1);
        for (let at = tip ?? -1; at >= 0; at = index.parent[at]!) expect(active[at]).toBe(1);
        for (const [seq, [kind]] of nodes.entries()) {
          if (kind === 'user' && active[seq] && seq !== tip) expect(onPath(index.parent, tip!, seq)).toBe(true);
        }
        const tree = Tree.of(index);
        expect(tree.leaves).toBeGreaterThanOrEqual(cores.length > 0 ? 1 : 0);
        if (tree.straight) for (const seq of cores) expect(active[seq]).toBe(1);
        expect(index.type.every((code) => code === CODE.meta || CONVERSATION[code] === 1)).toBe(true);
      }),
    );
  });
});

function onPath(parent: Int32Array, from: number, target: number): boolean {
  for (let at = from; at >= 0; at = parent[at]!) if (at === target) return true;
  return false;
}
