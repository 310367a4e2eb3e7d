import { describe, expect, it } from 'vitest';
import { Records, SESSION, uuid } from './testing/records.ts';

describe('the facts of a session', () => {
  it('take the first and the last folder that a record names', async () => {
    const records = new Records();
    records.user('one', { cwd: '' });
    records.say('msg_1', 'a');
    records.user('two', { cwd: '/home/dev/orchard/web_v2.0' });
    const { main } = await records.capture();
    expect(main?.facts).toMatchObject({
      cwd: '/home/dev/orchard',
      cwd_last: '/home/dev/orchard/web_v2.0',
      git_branch: 'main',
      agent_version: '2.1.332',
      model: 'claude-opus-5-5',
    });
  });

  it('take the title in the order of the client', async () => {
    const records = new Records();
    records.user('<command-name>/clear</command-name>');
    records.user('the first prompt\nin two lines');
    const title = async (files = {}): Promise<unknown> => (await records.capture(files)).main?.facts.title;
    expect(await title()).toBe('the first prompt in two lines');
    records.line('summary', { summary: '{"title":"A summary"}', leafUuid: uuid(2) });
    records.line('summary', { summary: 'of another session', leafUuid: uuid(50) });
    expect(await title()).toBe('A summary');
    records.line('last-prompt', { lastPrompt: 'the last prompt', leafUuid: uuid(2) });
    expect(await title()).toBe('the last prompt');
    records.line('ai-title', { aiTitle: 'By a model' });
    expect(await title()).toBe('By a model');
    const side = `.claude/projects/-home-dev-orchard/${SESSION}/custom-title.json`;
    expect(await title({ [side]: '{"customTitle":"Carried over","by":"carried"}' })).toBe('Carried over');
    records.line('custom-title', { customTitle: 'By the user' });
    records.line('custom-title', { customTitle: '' });
    expect(await title()).toBe('By the user');
  });

  it('say when it is archived, and when its client is at work', async () => {
    const records = new Records();
    records.user('one');
    const folder = `.claude/projects/-home-dev-orchard/${SESSION}`;
    const note = JSON.stringify({ pid: process.pid, sessionId: SESSION, status: 'busy' });
    const { main } = await records.capture({
      [`${folder}/archived.json`]: '{"archived":true}',
      [`.claude/sessions/${process.pid}.json`]: note,
    });
    expect(main?.facts).toMatchObject({ archived: true, status: 'working' });
  });
});
