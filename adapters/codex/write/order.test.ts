import { describe, expect, it } from 'vitest';
import type { SessionEvent, Warning } from '../../../src/shared/events.ts';
import { Arranger, type Step } from '../../conversation/arrange.ts';
import { TestSession } from '../../testing/session.ts';

function arrange(session: TestSession): { steps: string[]; warnings: Warning[] } {
  const warnings: Warning[] = [];
  const arranger = new Arranger((warning) => warnings.push(warning));
  const steps = [...session.events.flatMap((event) => arranger.push(event)), ...arranger.end()];
  return { steps: steps.map(nameOf), warnings };
}

function nameOf(step: Step): string {
  if (step.kind === 'call') return `call ${step.id}`;
  if (step.kind === 'output') return `output ${step.id}${step.result === null ? ' (none)' : ''}`;
  return `${step.kind} ${textOf(step.event)}`;
}

function textOf({ payload }: SessionEvent): string {
  const [first] = (payload.content ?? payload.summary ?? []) as { text?: string }[];
  return first?.text ?? String(payload.text);
}

describe('the order of a written conversation', () => {
  it('puts all calls of an answer together and then their outputs in the order of the calls', () => {
    const session = new TestSession();
    session.reply('r1', 'I look.');
    session.call('r1', 'a');
    session.call('r1', 'b');
    session.result('b');
    session.result('a');
    expect(arrange(session).steps).toEqual(['reply I look.', 'call a', 'call b', 'output a', 'output b']);
  });

  it('regroups an answer whose results were written between its calls', () => {
    const session = new TestSession();
    session.call('r1', 'a');
    session.result('a');
    session.call('r1', 'b');
    session.result('b');
    session.reply('r2', 'Done.');
    expect(arrange(session).steps).toEqual(['call a', 'call b', 'output a', 'output b', 'reply Done.']);
  });

  it('lets prompts and notes wait until the results are written', () => {
    const session = new TestSession();
    session.call('r1', 'a');
    session.system('note');
    session.user('queued', 'queued');
    session.result('a');
    session.reply('r2', 'Done.');
    expect(arrange(session).steps).toEqual(['call a', 'output a', 'context note', 'prompt queued', 'reply Done.']);
  });

  it('closes a call without a result and says so', () => {
    const session = new TestSession();
    session.call('r1', 'a');
    session.user('Never mind.');
    const { steps, warnings } = arrange(session);
    expect(steps).toEqual(['call a', 'output a (none)', 'prompt Never mind.']);
    expect(warnings).toMatchObject([{ about: 'unanswered-call', count: 1 }]);
  });

  it('leaves out a result of no open call and says so', () => {
    const session = new TestSession();
    session.result('lost');
    session.user('Go on.');
    const { steps, warnings } = arrange(session);
    expect(steps).toEqual(['prompt Go on.']);
    expect(warnings).toMatchObject([{ about: 'orphan-result' }]);
  });

  it('answers each call of a repeated id by its own result', () => {
    const session = new TestSession();
    session.call('r1', 'x');
    session.result('x', 'one');
    session.call('r2', 'x');
    session.result('x', 'two');
    expect(arrange(session).steps).toEqual(['call x', 'output x', 'call x_2', 'output x_2']);
  });

  it('takes only what the source agent sends to its model', () => {
    const session = new TestSession();
    session.system('status of git', false);
    session.event('message.assistant', {
      response: 'e',
      content: [{ kind: 'text', text: 'API error' }],
      synthetic: true,
    });
    session.event('meta', { key: 'title', value: 'x' });
    session.event('command.run', { cmd: 'ls', stdout_tail: '' });
    session.summary('what was');
    expect(arrange(session).steps).toEqual(['summary what was']);
  });

  it('marks replies that go on to call a tool', () => {
    const session = new TestSession();
    session.reply('r1', 'Looking.');
    session.call('r1', 'a');
    session.result('a');
    session.reply('r2', 'Done.');
    const arranger = new Arranger(() => {});
    const steps = [...session.events.flatMap((event) => arranger.push(event)), ...arranger.end()];
    expect(steps.flatMap((step) => (step.kind === 'reply' ? [step.more] : []))).toEqual([true, false]);
  });
});
