import { describe, expect, it } from 'vitest';
import { constraintsIn, linksIn } from './constraints.ts';
import { decisionsIn, withDoubt, withoutTakenBack } from './decisions.ts';
import { staleFigures, withFiguresMarked } from './figures.ts';

const said = (...texts: string[]) => texts.map((text, at) => ({ seq: at * 2 + 1, text }));
const found = (...replies: string[]) =>
  decisionsIn({ prompts: [], replies: said(...replies) }).map(({ text, supersededBy }) => [text, supersededBy]);

describe('decisions in words', () => {
  it('are what is said as a decision, or chosen with a reason', () => {
    expect(found('I looked around. Decision: we use SQLite. It is small.')).toEqual([
      ['Decision: we use SQLite.', null],
    ]);
    expect(found("We'll use Postgres because rows are updated by many.")).toHaveLength(1);
    expect(found('我决定用 Redis，原因是速度。')).toEqual([['我决定用 Redis，原因是速度。', null]]);
    expect(found("I'll use the search to find it.", 'Let me look.', 'It fails because of a typo.')).toEqual([]);
  });

  it.each([
    'My pick: Playwright, it covers all three browsers.',
    'Dates are stored as ISO strings, we agreed.',
    'So feature flags stay in LaunchDarkly.',
    'I wrapped the retries in p-retry because it already backs off.',
    '日志就用 pino，性能更好。',
    '我加了 lodash，因为 groupBy 写起来麻烦。',
  ])('are found as people and agents put them: %s', (sentence) => {
    expect(found(`I read the files. ${sentence}`)).toEqual([[sentence, null]]);
  });

  it.each([
    'I replaced the typo with the right word.',
    'I fixed the crash in Parser because the index was off by one.',
    'I read src/a.ts with its neighbours because the types were unclear.',
    'I see two options: Redis or Kafka.',
    '有两个方案：Redis 或 Kafka。',
    '测试用 vitest 跑过了，全部通过。',
  ])('are not what was only done or listed: %s', (sentence) => {
    expect(found(sentence)).toEqual([]);
  });

  it('are superseded by one that gives up what they chose', () => {
    expect(found('Decision: we use SQLite.', 'Decision: we switch from SQLite to Postgres.')).toEqual([
      ['Decision: we use SQLite.', 3],
      ['Decision: we switch from SQLite to Postgres.', null],
    ]);
    expect(found('决定：采用 Redis，因为快。', 'Redis 不合适，改用 Kafka。')[0]).toEqual([
      '决定：采用 Redis，因为快。',
      3,
    ]);
  });

  it('are given up in one sentence and made in the next', () => {
    expect(
      found('I decided to go with SQLite.', 'I was wrong about SQLite. We use Postgres instead, given the load.'),
    ).toEqual([
      ['I decided to go with SQLite.', 3],
      ['I was wrong about SQLite. We use Postgres instead, given the load.', null],
    ]);
  });

  it('are superseded by a person who wants something else, and by nobody who only names it', () => {
    const replies = [{ seq: 1, text: 'Decision: we use SQLite.' }];
    const supersededBy = (text: string) => decisionsIn({ replies, prompts: [{ seq: 5, text }] })[0]?.supersededBy;
    expect(supersededBy('No, use Postgres instead of SQLite.')).toBe(5);
    expect(supersededBy('Read the rows from SQLite and show them.')).toBeNull();
    expect(supersededBy('Use Postgres instead of SQLite3-wasm.')).toBeNull();
  });

  it('stand no more in a text that is shown without what was taken back', () => {
    const [first] = decisionsIn({ prompts: [], replies: said('Fine. Decision: we use SQLite. Done.') });
    expect(withoutTakenBack('Fine. Decision: we use SQLite. Done.', [{ ...first!, supersededBy: 5 }])).toBe(
      'Fine. […] Done.',
    );
  });

  it('stand no more where a line break divides what was given up from what was chosen', () => {
    const text = 'I was wrong about SQLite.\nWe use Postgres instead.\n\nDone.';
    const replies = [
      { seq: 1, text },
      { seq: 3, text: 'Decision: we switch from Postgres to DuckDB.' },
    ];
    const own = decisionsIn({ prompts: [], replies }).filter(({ seq }) => seq === 1);
    expect(own).toMatchObject([{ supersededBy: 3 }]);
    expect(withoutTakenBack(text, own)).toBe('[…]\n[…]\n\nDone.');
  });
});

describe('a decision stands', () => {
  const once = (decision: string, prompt: string) =>
    decisionsIn({ replies: [{ seq: 1, text: decision }], prompts: [{ seq: 5, text: prompt }] }).map(
      ({ text, supersededBy, doubtedBy }) => [text, supersededBy, doubtedBy],
    );

  it.each([
    ['an ordinary word of it', 'We decided that orders are keyed by UUID.', 'The regex was replaced by a tokenizer.'],
    ['a question', 'We decided that every account gets a UUID.', 'Why does the form say user instead of account?'],
    ['a preposition', 'We decided that sessions are stored in Redis.', 'The banner is no longer in the header.'],
    ['a question in Chinese', '决定：用 Redis 存会话。', '登录页不用 Redis 的地方也要测试吗？'],
    ['a question about it', 'Decision: we use SQLite.', 'What if we ever move away from SQLite to Postgres?'],
    ['a wish to keep it', 'Decision: we use SQLite.', "Don't switch from SQLite to anything else."],
    ['a wish to keep a part of it', '决定采用 MySQL。', '不要去掉 MySQL 的索引。'],
    ['a word that is spelled like it', 'Decision: we write it in Go.', 'The call should no longer go over the proxy.'],
    ['work on it', 'We decided to use Redis.', 'Fix the Redis test please'],
    [
      'work on it that is wished for',
      'We decided to use Redis.',
      'The Redis client logs too much, make it quiet please',
    ],
    ['work with it in Chinese', '决定用 Redis。', '先看 Redis 的日志吧'],
    ['a thing named beside it', 'We decided to use Redis for the Settings page.', 'Show a list.'],
  ])('after %s', (_, decision, prompt) => {
    expect(once(decision, prompt)).toEqual([[decision, null, null]]);
  });

  it.each([
    ['in the tests only', 'Decision: we use SQLite.', 'Use a temp file instead of SQLite in the unit tests only.'],
    ['at one place', '决定采用 MySQL。', '测试里不用 MySQL，用 SQLite 就行。'],
    ['by an ordinary word', 'We decided to use tabs.', 'No, use spaces instead of tabs.'],
    ['in other letters', 'We decided to use Redis.', 'lets drop redis, a map is enough'],
    ['as a question', 'We decided to use Redis.', 'Can we use Postgres instead of Redis?'],
    ['by a part of it', 'We decided to use Redis.', 'Please drop Redis keys that are old.'],
    ['for a name at the beginning', 'I decided to use Express.', 'Express is old, make it Fastify please'],
    ['in its place', 'I decided to use Vault for the tokens.', 'Vault costs too much, keep them in SSM'],
    ['by no more than a name', 'We decided to use protobuf.', 'protobuf is a pain in the browser, plain JSON please'],
    ['by no more than a name in Chinese', '我选了 protobuf，体积小。', '还是 JSON 吧，protobuf 调试麻烦'],
    ['in Chinese', '我选了 moment，因为解析方便。', 'moment 已经停止维护，用 dayjs'],
    ['by what was named beside it', 'We use Redis since Kafka needs a cluster.', 'Please drop Kafka.'],
  ])('with a word on it when something else is wanted %s', (_, decision, prompt) => {
    expect(once(decision, prompt)).toEqual([
      [decision, null, 5],
      [prompt, null, null],
    ]);
  });

  it.each([
    ['We decided to use Redis.', 'Please use Postgres instead of Redis.'],
    ['I chose to store the sessions in Redis.', 'Please move the sessions out of Redis and into Postgres.'],
    ['I went with Jest because the config is there.', 'We should use Vitest, not Jest.'],
    ['决定：用 Redis 存会话。', '不用 Redis，改用 Postgres。'],
    ['我选了 Jest，因为配置现成。', '把 Jest 换成 Vitest 吧'],
  ])('no more when it is given up by its name: %s %s', (decision, prompt) => {
    expect(once(decision, prompt)[0]?.slice(0, 2)).toEqual([decision, 5]);
  });

  it('when the agent asks, or only thinks of another way', () => {
    for (const later of [
      'Should we switch from Redis to Kafka?',
      'If the load grows, we could switch from Redis to Kafka.',
    ])
      expect(found('We decided to use Redis.', later)[0]).toEqual(['We decided to use Redis.', null]);
  });
});

describe('decisions in doubt', () => {
  const shown = (first: string, prompt: string) =>
    decisionsIn({ replies: [{ seq: 1, text: first }], prompts: [{ seq: 5, text: prompt }] }).map(withDoubt);

  it('say which event speaks of a change, and stay', () => {
    expect(shown('I went with `queue-js` here.', 'can we go back to redis-7? queue-js is too slow')).toEqual([
      'I went with `queue-js` here. (perhaps superseded by e5)',
      'can we go back to redis-7? queue-js is too slow',
    ]);
    expect(shown('最终选择了 queue-js。', '还是回到 redis-7，queue-js 太慢了')[0]).toBe(
      '最终选择了 queue-js。 (perhaps superseded by e5)',
    );
  });

  it('are none when the change turns to them, or speaks of nothing else', () => {
    expect(shown('I went with `queue-js` here.', 'Replace the old-list by moving to queue-js.')).toEqual([
      'I went with `queue-js` here.',
    ]);
    expect(shown('I went with `queue-js` here.', 'Is queue-js too slow?')).toEqual(['I went with `queue-js` here.']);
  });
});

describe('rules in a prompt', () => {
  const strict = (prompt: string) => constraintsIn(prompt).map((rule) => rule.strict);
  it('are forbidden things and standing wishes, in either language', () => {
    expect(strict('The folder gen is off limits.')).toEqual([true]);
    expect(strict('别动 gen')).toEqual([true]);
    expect(strict('From now on, run the suite before each commit.')).toEqual([false]);
    expect(strict('以后每次提交都要跑测试')).toEqual([false]);
    expect(strict('Ask me before you delete files.\nnothing under vendor/ may change\nStay out of infra/.')).toEqual([
      true,
      true,
      true,
    ]);
    expect(
      strict('没有我同意不要推到远程\n接口签名不能变\n每个新接口都要写测试\nEvery new endpoint gets a test.'),
    ).toEqual([true, true, false, false]);
  });

  it('are not what their author does not know, or asks to be possible', () => {
    expect(strict("I don't have a strong opinion. 能不能再快一点")).toEqual([]);
  });
});

describe('decisions of a long session', () => {
  it('that speak of the same thing are settled once each, and a line of output is none', () => {
    const texts = Array.from({ length: 6000 }, () => 'We decided to use redis-cache instead of redis-cache.');
    const all = found(...texts, `Decision: ${'replaced redis-cache '.repeat(50_000)}`);
    expect(all).toHaveLength(6000);
    expect(all.filter(([, by]) => by === null)).toHaveLength(1);
  });
});

describe('figures in replies', () => {
  it('are marked where a later reply has another one of the same thing and unit', () => {
    const replies = said('`read-all` takes 812 ms. Fine.', 'Cached.', 'p95 of read-all is down to 230ms');
    expect(withFiguresMarked(replies[0]!.text, staleFigures(replies).get(1))).toBe(
      '`read-all` takes 812 ms. (was measured again: e5) Fine.',
    );
    expect(staleFigures(said('read-all takes 812 ms', 'read-all uses 40 MB', 'read-one takes 3 ms')).size).toBe(0);
  });
});

describe('links in a prompt', () => {
  it('end before the punctuation of both languages', () => {
    expect(
      linksIn('See https://example.com/a/1, then (https://example.com/b). 背景在 https://example.com/c，先读。'),
    ).toEqual(['https://example.com/a/1', 'https://example.com/b', 'https://example.com/c']);
  });
});
