import { describe, expect, it } from 'vitest';
import { LogBuilder } from '../view/testing.ts';
import { page, shell } from './testing.ts';

const reasons = (log: LogBuilder, options = {}) =>
  page(log, options).dropped.map(({ kind, reason, provenance }) => `${kind} e${provenance[0]}: ${reason}`);

describe('what is dropped', () => {
  it('says of which one it is a duplicate', () => {
    const log = new LogBuilder();
    log.user('Begin.');
    log.user('Look at the parser once more.');
    log.user('Look at the parser once more.');
    log.user('Now go on.');
    expect(reasons(log)).toEqual(['said e1: duplicate of e2']);
  });

  it('says what was only a failed attempt', () => {
    const log = new LogBuilder();
    log.user('Begin.');
    log.call('r1', 'a', 'edit', { file_path: 'src/a.ts' });
    log.result('a', 'old text not found', undefined, { is_error: true });
    log.call('r2', 'b', 'edit', { file_path: 'src/a.ts' });
    log.result('b', 'updated');
    expect(reasons(log)).toEqual(['failed e1: failed attempt']);
    const failed = new LogBuilder();
    failed.user('Begin.');
    failed.call('r1', 'a', 'edit', { file_path: 'src/a.ts' });
    failed.result('a', 'old text not found', undefined, { is_error: true });
    expect(reasons(failed)).toEqual([]);
  });

  it('says what was a secret, and what are bytes', () => {
    const log = new LogBuilder();
    log.user('Begin.');
    log.event('memory.write', { key: 'token', value: '[REDACTED:github-token:1]' });
    log.event('memory.write', { key: 'where', value: 'the token [REDACTED:github-token:1] is in the vault' });
    log.event('file.edit', { path: 'logo.png', op: 'edit', diff: 'Binary files a/logo.png and b/logo.png differ' });
    expect(reasons(log)).toEqual(['diff e3: binary', 'memory e1: secret']);
  });

  it('says what there was no room for, and marks what is no longer active', () => {
    const log = new LogBuilder();
    log.user('Begin.');
    const call = log.call('r1', 'a', 'shell', { command: 'ls' });
    log.event('command.run', { cmd: 'ls', exit_code: 0, stdout_tail: 'word '.repeat(400) }, { refs: [`seq:${call}`] });
    for (let i = 0; i < 30; i++) log.assistant(`r${i + 2}`, `Reply ${i}: ${'many words '.repeat(60)}`);
    const active = new Uint8Array(log.events.length).fill(1);
    active[call] = 0;
    const roomy = page(log, { active, budget: 100_000 });
    expect(roomy.items.find(({ kind }) => kind === 'command')).toMatchObject({
      provenance: [call, call + 1],
      inactive: [call],
    });
    const { dropped } = page(log, { active, budget: 900 });
    expect(dropped.every(({ reason }) => reason === 'over budget')).toBe(true);
    expect(dropped.length).toBeGreaterThan(20);
  });

  it('never names an event that is not there, whatever a damaged log refers to', () => {
    const log = new LogBuilder();
    log.user('Begin.');
    log.event('command.run', { cmd: 'ls', exit_code: 0, stdout_tail: '' }, { refs: ['seq:999'] });
    shell(log, 'a', 'pwd', '/', 0);
    const { items, dropped } = page(log);
    for (const seq of [...items, ...dropped].flatMap(({ provenance }) => provenance))
      expect(log.events[seq]).toBeDefined();
  });
});

describe('what was written to keep', () => {
  it('counts as it was written last, by scope and name', () => {
    const log = new LogBuilder();
    log.user('Begin.');
    const write = (scope: string, key: string, value: string) => log.event('memory.write', { scope, key, value });
    const old = write('project', 'db.port', '5432');
    const other = write('user', 'db.port', '9999');
    const now = write('project', 'db.port', '6543');
    write('project', '', 'one without a name');
    write('project', '', 'another without a name');
    const { items, dropped } = page(log);
    const kept = items.filter(({ kind }) => kind === 'memory').map(({ text }) => text);
    expect(kept.toSorted()).toEqual([
      '- : another without a name [e5]',
      '- : one without a name [e4]',
      `- db.port: 6543 [e${now}]`,
      `- db.port: 9999 [e${other}]`,
    ]);
    expect(dropped).toMatchObject([
      { kind: 'memory', text: 'db.port: 5432', reason: `superseded by e${now}`, provenance: [old] },
    ]);
  });
});
