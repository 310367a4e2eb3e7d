import { describe, expect, it } from 'vitest';
import { textOf } from '../../src/core/view/content.ts';
import type { SessionEvent } from '../../src/shared/events.ts';
import { contextOf } from './testing/context.ts';
import type { Captured } from './testing/fixtures.ts';
import { Records, uuid } from './testing/records.ts';

/** Texts of the active conversation, in order. */
function said({ main }: Captured): string[] {
  return contextOf(main?.events ?? [])
    .filter(({ type }) => type.startsWith('message.') || type === 'tool.result' || type === 'context.compacted')
    .map(({ payload }) => textOf(payload.content ?? payload.summary));
}

const events = ({ main }: Captured, type: string): SessionEvent[] =>
  (main?.events ?? []).filter((event) => event.type === type);

const about = ({ main }: Captured): string[] => (main?.warnings ?? []).map((warning) => warning.about);

/** Two prompts with answers, then a rewind to the first answer and another prompt. */
function rewound(): Records {
  const records = new Records();
  records.user('one');
  const answer = records.say('msg_1', 'answer one');
  records.user('two');
  records.say('msg_2', 'answer two');
  records.user('three', { parentUuid: answer });
  records.say('msg_3', 'answer three');
  return records;
}

describe('the active branch', () => {
  it('is that of the last message in file order after a rewind', async () => {
    expect(said(await rewound().capture())).toEqual(['one', 'answer one', 'three', 'answer three']);
  });

  it('is that of the pointer when the last message is on another branch', async () => {
    const records = rewound();
    records.line('last-prompt', { lastPrompt: 'two', leafUuid: uuid(4) });
    const captured = await records.capture();
    expect(said(captured)).toEqual(['one', 'answer one', 'two', 'answer two']);
    expect(events(captured, 'meta').at(-1)?.payload).toEqual({ key: 'leaf', value: 4 });
  });

  it('is that of the last message when the pointer names its own branch, or nothing', async () => {
    for (const leafUuid of [uuid(2), uuid(5), uuid(99), '00000000-0000-0000-0000-000000000000']) {
      const records = rewound();
      records.line('last-prompt', { lastPrompt: 'x', leafUuid });
      expect(said(await records.capture())).toEqual(['one', 'answer one', 'three', 'answer three']);
    }
  });

  it('ends at an explicit pointer until a message comes behind it', async () => {
    const records = rewound();
    records.line('last-prompt', { lastPrompt: 'x', leafUuid: uuid(2), explicit: true });
    expect(said(await records.capture())).toEqual(['one', 'answer one']);
    records.user('four', { parentUuid: uuid(2) });
    expect(said(await records.capture())).toEqual(['one', 'answer one', 'four']);
  });

  it('is that of the newest time in clients that know no pointer', async () => {
    const records = rewound();
    for (const record of records.list) record.version = '2.1.50';
    (records.list[3] as Record<string, unknown>).timestamp = '2026-05-04T11:00:00.000Z';
    expect(said(await records.capture())).toEqual(['one', 'answer one', 'two', 'answer two']);
  });

  it('begins anew at a record without parent, as in the client', async () => {
    const records = new Records();
    records.user('one');
    records.say('msg_1', 'answer one');
    records.user('two', { parentUuid: null });
    expect(said(await records.capture())).toEqual(['two']);
  });

  it('bridges a parent that was never written, and says so with the line', async () => {
    const records = new Records();
    records.user('one');
    records.say('msg_1', 'answer one');
    records.user('two', { parentUuid: uuid(77) });
    const captured = await records.capture();
    expect(said(captured)).toEqual(['one', 'answer one', 'two']);
    expect(captured.main?.warnings).toMatchObject([{ about: 'dangling-parent', line: 3 }]);
  });

  it('puts a record that was written before its parent behind it', async () => {
    const records = new Records();
    records.user('one');
    records.say('msg_1', 'answer one');
    records.user('two');
    records.say('msg_2', 'answer two');
    records.list.push(...records.list.splice(1, 1));
    const captured = await records.capture();
    expect(said(captured)).toEqual(['one', 'answer one', 'two', 'answer two']);
    expect(captured.main?.warnings).toEqual([]);
  });
});

describe('parallel calls', () => {
  /** Three calls of one answer; each result names its own call, in another order. */
  function parallel(): Records {
    const records = new Records();
    records.user('go');
    const [a, b, c] = ['a', 'b', 'c'].map((id) => records.call('msg_1', `toolu_${id}`, 'Bash', { command: id }));
    records.result('toolu_b', 'result b', undefined, { parentUuid: b });
    records.result('toolu_c', 'result c', undefined, { parentUuid: c });
    records.result('toolu_a', 'result a', undefined, { parentUuid: a });
    records.say('msg_2', 'done');
    return records;
  }

  it('stand on one line with all their results, so that a walk from the leaf meets them', async () => {
    const { main } = await parallel().capture();
    const path: string[] = [];
    for (let at = main?.events.findLast(({ type }) => type === 'message.assistant'); at; ) {
      path.unshift(at.type);
      at = at.parent_seq === null ? undefined : main?.events[at.parent_seq];
    }
    const calls = ['tool.call', 'tool.call', 'tool.call'];
    const results = ['tool.result', 'tool.result', 'tool.result'];
    expect(path).toEqual(['message.user', ...calls, ...results, 'message.assistant']);
  });

  it('keep the parents that their records name', async () => {
    const results = events(await parallel().capture(), 'tool.result');
    expect(results.map(({ payload }) => (payload.native as { parentUuid?: string }).parentUuid)).toEqual([
      uuid(3),
      uuid(4),
      uuid(2),
    ]);
  });

  it('are told when the conversation went on without a result', async () => {
    const records = new Records();
    records.user('go');
    records.call('msg_1', 'toolu_a', 'Bash', { command: 'sleep' });
    records.user([{ type: 'text', text: '[Request interrupted by user for tool use]' }]);
    records.user('something else');
    const captured = await records.capture();
    expect(captured.main?.warnings).toMatchObject([{ about: 'unanswered-call', count: 1 }]);
    expect(captured.main?.facts.status).toBe('idle');
  });

  it('that wait at the end are a session that ended in the middle of a tool', async () => {
    const records = new Records();
    records.user('go');
    records.call('msg_1', 'toolu_a', 'Bash', { command: 'sleep' });
    const captured = await records.capture();
    expect(captured.main?.facts.status).toBe('ended_mid_tool');
    expect(about(captured)).toEqual([]);
  });

  it('are told when a result has no call', async () => {
    const records = new Records();
    records.user('go');
    records.result('toolu_x', 'what?');
    expect(about(await records.capture())).toEqual(['orphan-result']);
  });
});

describe('a compaction', () => {
  /** A compaction that keeps the last answer. `anchor` is the uuid that the kept messages follow. */
  function compacted(anchor: number): Records {
    const records = new Records();
    records.user('one');
    const kept = records.say('msg_1', 'answer one');
    const preserved = { anchorUuid: uuid(anchor), uuids: [kept], allUuids: [kept] };
    records.chain('system', {
      parentUuid: null,
      logicalParentUuid: kept,
      subtype: 'compact_boundary',
      compactMetadata: { trigger: 'manual', preTokens: 900, postTokens: 90, preservedMessages: preserved },
    });
    records.user('the summary', { isCompactSummary: true, isVisibleInTranscriptOnly: true });
    records.user('two');
    return records;
  }

  it('is one event with the summary, what was kept, and its sizes', async () => {
    const captured = await compacted(4).capture();
    expect(said(captured)).toEqual(['the summary', 'answer one', 'two']);
    const [event] = events(captured, 'context.compacted');
    expect(event?.payload).toMatchObject({ kept: [2], tokens_before: 900, tokens_after: 90, trigger: 'manual' });
    expect(event?.payload.kept_first).toBeUndefined();
  });

  it('has the kept messages in front where they follow the mark itself', async () => {
    expect(said(await compacted(3).capture())).toEqual(['answer one', 'the summary', 'two']);
  });

  it('counts without a summary too, since the client begins anew at the mark', async () => {
    const records = compacted(4);
    records.list.splice(3, 1);
    (records.list[3] as Record<string, unknown>).parentUuid = uuid(3);
    expect(said(await records.capture())).toEqual(['', 'answer one', 'two']);
  });
});
