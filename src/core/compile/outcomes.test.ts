import { describe, expect, it } from 'vitest';
import { LogBuilder } from '../view/testing.ts';
import { page, shell } from './testing.ts';

/** A test that failed, and what `more` says of a run of it after that. */
function failedThen(more: (log: LogBuilder) => void): LogBuilder {
  const log = new LogBuilder();
  log.user('Fix the parser.');
  shell(log, 'a', 'npm test', 'FAIL parser.test.ts', 1);
  more(log);
  log.assistant('r9', 'I will look at it again.');
  return log;
}

const unknown: [string, (log: LogBuilder) => void][] = [
  ['never finished', (log) => log.call('r2', 'b', 'shell', { command: 'npm test' })],
  [
    'was interrupted',
    (log) => {
      log.call('r2', 'b', 'shell', { command: 'npm test' });
      log.result('b', 'stopped', undefined, { closed: 'interrupted' });
    },
  ],
  ['was interrupted with an error', (log) => shell(log, 'b', 'npm test', 'stopped', 130, { closed: 'interrupted' })],
  ['was refused', (log) => shell(log, 'b', 'npm test', 'No.', undefined, { closed: 'denied' })],
  [
    'has a result that is missing',
    (log) => {
      log.call('r2', 'b', 'shell', { command: 'npm test' });
      log.result('b', '', undefined, { closed: 'missing' });
    },
  ],
];

describe('the last error', () => {
  it.each(unknown)('stays when a later run of the same command %s, and that run is named', (_what, then) => {
    const { items, dropped, text } = page(failedThen(then));
    const error = items.find(({ kind }) => kind === 'error');
    expect(error).toMatchObject({ priority: 'p0', trust: 'stale', provenance: [1, 3] });
    expect(error!.text).toContain('FAIL parser.test.ts');
    expect(error!.text).toMatch(/run again \[e\d+\], how it ended is not known/);
    expect(text).toMatch(/\$ npm test → (?:exit 130, )?(?:not finished|refused by the user) \[e/);
    expect(dropped).toEqual([]);
  });

  it('is gone once the same command is known to have succeeded', () => {
    const { items, dropped } = page(failedThen((log) => shell(log, 'b', 'npm test', 'all good', 0)));
    expect(items.some(({ kind }) => kind === 'error')).toBe(false);
    expect(dropped).toMatchObject([{ kind: 'failed', reason: 'superseded by e6' }]);
  });

  it.each(unknown)('is no run that %s', (_what, then) => {
    const log = new LogBuilder();
    log.user('Fix the parser.');
    then(log);
    log.assistant('r9', 'I will look at it again.');
    expect(page(log).items.map(({ kind }) => kind)).toEqual(['request', 'state', 'command']);
  });
});

describe('a call that did not run to its end', () => {
  it.each(['interrupted', 'denied', 'missing'])('heals no failure of the same call: %s', (closed) => {
    const log = new LogBuilder();
    log.user('Begin.');
    log.call('r1', 'a', 'edit', { file_path: 'src/a.ts' });
    log.result('a', 'old text not found', undefined, { is_error: true });
    log.call('r2', 'b', 'edit', { file_path: 'src/a.ts' });
    log.result('b', '', undefined, { closed });
    log.assistant('r3', 'Stopped here.');
    const { items, dropped } = page(log);
    expect(dropped).toEqual([]);
    expect(items.find(({ kind }) => kind === 'failed')!.text).toContain('old text not found');
    expect(items.find(({ kind }) => kind === 'call')).toMatchObject({
      text: expect.stringMatching(/not finished|refused by the user/),
      trust: 'agent_said',
    });
  });

  it('stands on the page once when nothing was said after it', () => {
    const log = new LogBuilder();
    log.user('Begin.');
    log.call('r1', 'a', 'shell', { command: 'npm run deploy' });
    expect(page(log).items.map(({ kind }) => kind)).toEqual(['request', 'interrupted']);
  });
});
