import { describe, expect, it } from 'vitest';
import { LogBuilder } from '../view/testing.ts';
import { page, run, shell } from './testing.ts';

const known = (seq: number, more: object = {}) => ({
  known: { session: '0199-own', seq, ownTurns: 0, takenBack: [], ...more },
});

/** A session of two parts; the second begins behind the event that is returned. */
function twoParts(): { log: LogBuilder; end: number } {
  const log = new LogBuilder();
  log.user('Write the loader. Never touch the old format. (OLD-ASK)');
  shell(log, 'a', 'npm test', 'FAIL old', 1);
  log.event('todo.add', { id: '1', text: 'old open task', status: 'pending', order: 0 });
  log.event('todo.add', { id: '2', text: 'task to be closed', status: 'pending', order: 1 });
  log.event('decision', { conclusion: 'use TOML' });
  log.event('file.edit', { path: 'src/old.ts', op: 'edit', diff: '+old' });
  const end = log.assistant('r1', 'The loader stands. (OLD-STATE)');
  log.user('Now make it fast. Do not add a cache. (NEW-ASK)');
  shell(log, 'b', 'npm test', 'all good', 0);
  log.event('todo.update', { id: '2', text: 'task to be closed', status: 'done', order: 1 });
  log.event('decision', { conclusion: 'use YAML', supersedes: 6 });
  log.event('file.edit', { path: 'src/new.ts', op: 'create', diff: '+new' });
  log.assistant('r2', 'It is fast now. (NEW-STATE)');
  return { log, end };
}

describe('a page of what is new', () => {
  it('tells what has come since, and nothing of what is known', () => {
    const { log, end } = twoParts();
    const { text, items, dropped } = page(log, known(end));
    for (const fact of ['NEW-ASK', 'NEW-STATE', 'src/new.ts', 'Do not add a cache', 'npm test → exit 0', 'use YAML'])
      expect(text).toContain(fact);
    for (const fact of ['OLD-ASK', 'OLD-STATE', 'src/old.ts', 'old open task', 'FAIL old'])
      expect(text).not.toContain(fact);
    expect(items.every(({ kind, provenance }) => kind === 'changed' || provenance.at(-1)! > end)).toBe(true);
    expect(dropped.filter(({ reason }) => reason === 'known already').length).toBeGreaterThan(3);
  });

  it('says whose session it goes on with, and up to where that knows this one', () => {
    const { log, end } = twoParts();
    const { text } = page(log, known(end));
    expect(text).toContain('# What is new from Claude Code');
    expect(text).toContain(
      `Your session 0199-own knows the Claude Code session sess_0123456789abcdef0123 up to [e${end}]`,
    );
    expect(page(log, known(end, { ownTurns: 2 })).text).toContain('has gone on by itself meanwhile (2 turns)');
    const chinese = new LogBuilder();
    chinese.user('把加载器写好。');
    const first = chinese.assistant('r1', '好了。');
    chinese.user('现在让它快一点。');
    expect(page(chinese, known(first)).text).toContain('本页只讲此后的新内容');
  });

  it('takes back what the reader believes and is no longer so', () => {
    const { log, end } = twoParts();
    const back = [{ seq: 0, text: 'an undone request\nof two lines' }];
    const active = new Uint8Array(log.events.length).fill(1);
    active[0] = 0;
    const { items, text } = page(log, { ...known(end, { takenBack: back }), active });
    const changed = items.filter(({ kind }) => kind === 'changed');
    expect(changed.map((item) => item.text)).toEqual([
      '- no longer so (superseded by e14): use TOML [e6]',
      '- taken back since: an undone request of two lines [e0]',
      '- [x] task to be closed (done) [e13]',
    ]);
    expect(changed[1]).toMatchObject({ inactive: [0], priority: 'p0' });
    expect(text).toContain('## No longer so');
  });

  it('keeps the law that kept and dropped are all items', () => {
    const { log, end } = twoParts();
    const ids = (more: object) => {
      const { items, dropped } = page(log, more);
      return [...items, ...dropped].map(({ id }) => id).toSorted();
    };
    const all = ids({ ...known(end), budget: 1_000_000 });
    expect(new Set(all).size).toBe(all.length);
    expect(ids({ ...known(end), budget: 700 })).toEqual(all);
  });

  it('of nothing new has nothing in it', () => {
    const { log } = twoParts();
    const result = run(log, known(log.events.length));
    expect(result.ok && result.value.items).toEqual([]);
  });
});
