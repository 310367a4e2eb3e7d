import { describe, expect, it } from 'vitest';
import type { SessionEvent, Warning } from '../../src/shared/events.ts';
import { Arranger, type Step } from './arrange.ts';

let seq = 0;
const event = (type: string, payload: object): SessionEvent =>
  ({
    seq: seq++,
    ts: null,
    agent: 'claude',
    actor: 'agent',
    type,
    level: 2,
    payload,
    refs: [],
  }) as unknown as SessionEvent;

const prompt = (text: string) => event('message.user', { content: [{ kind: 'text', text }] });
const reply = (response: string) => event('message.assistant', { response, content: [] });
const call = (response: string, call_id: string) =>
  event('tool.call', { response, call_id, name: 'Bash', arguments: {} });
const result = (call_id: string) => event('tool.result', { call_id, content: [] });

function arrange(events: SessionEvent[]): { order: string[]; warnings: string[] } {
  const warnings: Warning[] = [];
  const arranger = new Arranger((warning) => warnings.push(warning));
  const steps = [...events.flatMap((one) => arranger.push(one)), ...arranger.end()];
  return { order: steps.map(inWords), warnings: warnings.map(({ about }) => about) };
}

function inWords(step: Step): string {
  if (step.kind === 'call') return `call ${step.id}`;
  if (step.kind === 'output') return `output ${step.id}${step.result === null ? ' missing' : ''}`;
  return `${step.kind} ${String(step.event.payload.response ?? '')}`.trim();
}

describe('the order for a model', () => {
  it('gives a result that came after the next response began to its call', () => {
    const events = [call('r1', 'a'), call('r1', 'b'), result('b'), reply('r2'), prompt('on'), result('a'), reply('r3')];
    expect(arrange(events)).toEqual({
      order: ['call a', 'call b', 'output a', 'output b', 'reply r2', 'prompt', 'reply r3'],
      warnings: [],
    });
  });

  it('says of a call that it has no result when none comes at all', () => {
    const events = [call('r1', 'a'), prompt('stop'), reply('r2'), call('r2', 'b'), result('b')];
    expect(arrange(events)).toEqual({
      order: ['call a', 'output a missing', 'prompt', 'reply r2', 'call b', 'output b'],
      warnings: ['unanswered-call'],
    });
  });

  it('waits for a result over so many events and no more', () => {
    const between = Array.from({ length: 2000 }, (_, i) => reply(`r${i + 2}`));
    const { order, warnings } = arrange([call('r1', 'a'), ...between, result('a')]);
    expect(order.slice(0, 3)).toEqual(['call a', 'output a missing', 'reply r2']);
    expect(order).toHaveLength(2002);
    expect(warnings).toEqual(['unanswered-call', 'orphan-result']);
  });

  it('has every event once, however many calls have no result', () => {
    const events = Array.from({ length: 3000 }, (_, i) => (i % 3 === 2 ? prompt('p') : call(`r${i}`, `c${i}`)));
    const { order } = arrange(events);
    expect(order.filter((step) => step.startsWith('call'))).toHaveLength(2000);
    expect(order.filter((step) => step.startsWith('output'))).toHaveLength(2000);
    expect(order.filter((step) => step === 'prompt')).toHaveLength(1000);
  });
});
