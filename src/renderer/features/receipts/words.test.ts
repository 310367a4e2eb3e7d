import { describe, expect, it } from 'vitest';
import type { Receipt } from '../../../shared/handoff.ts';
import { factValue, factWord, failedFirst, sentenceOf, subjectOf } from './words.ts';

const receipt = (more: Partial<Receipt>): Receipt => ({
  version: 1,
  id: 'rcpt_1',
  action: 'handoff',
  at: new Date(2026, 10, 29, 13, 55).toISOString(),
  actor: 'user',
  session_id: 'sess_1',
  position: 0,
  subjects: [],
  facts: {},
  key_id: 'k',
  signature: 's',
  ...more,
});

describe('a receipt in words', () => {
  it('says who went where and when', () => {
    const said = sentenceOf(receipt({ facts: { to: { agent: 'codex' } } }), 'Rotate tokens');
    expect(said).toBe(
      'On 29 November at 13:55 “Rotate tokens” was continued in Codex. One session was written; the source was not changed.',
    );
    expect(subjectOf(receipt({ facts: { title: 'Rotate tokens', to: 'codex' } }), undefined)).toBe(
      'Rotate tokens → Codex',
    );
  });

  it('does without facts that are not there', () => {
    expect(subjectOf(receipt({ facts: { title: 7 } }), undefined)).toBe('sess_1');
    expect(sentenceOf(receipt({ action: 'export' }), undefined)).toContain('was exported');
  });
});

describe('a fact', () => {
  it('is written as people write it', () => {
    expect(['operation_id', 'mode'].map(factWord)).toEqual(['Operation id', 'Mode']);
    expect([true, false, 'native', 3].map(factValue)).toEqual(['yes', 'no', 'native', '3']);
  });
});

describe('failedFirst', () => {
  it('keeps the order of the rest', () => {
    const checks = ['a', 'b', 'c'].map((id) => ({ id, ok: id !== 'b', text: id }));
    expect(failedFirst({ ok: false, checks }).map((check) => check.id)).toEqual(['b', 'a', 'c']);
  });
});
