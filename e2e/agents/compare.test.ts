import { describe, expect, it } from 'vitest';
import { compare, sameText } from './compare.ts';
import type { Item } from './facts.ts';

const user = (text: string): Item => ({ kind: 'text', role: 'user', text });
const reply = (text: string): Item => ({ kind: 'text', role: 'assistant', text });
const call = (id: string, name: string, args: unknown): Item => ({ kind: 'call', id, name, args });
const result = (id: string, text: string, error = false): Item => ({ kind: 'result', id, text, images: [], error });
const note = (text: string): Item => ({ kind: 'harness', text });
const END = user('continue');

const SESSION = [
  user('Fix it'),
  reply('Looking.'),
  call('1', 'Bash', { command: 'ls' }),
  call('2', 'Read', { file_path: 'a.ts', limit: 5 }),
  result('2', 'two'),
  result('1', 'one'),
  reply('Done.'),
];

const run = (oracle: Item[], measured: Item[]) => compare([...oracle, END], [...measured, END], 'continue');
const shown = (comparison: ReturnType<typeof run>) =>
  comparison.differences.map(({ what, kind, expected, got }) => [what, kind, expected ?? got]);

describe('the comparison of two conversations', () => {
  it('finds everything carried when both say the same, whatever order parallel results came in', () => {
    const comparison = run(SESSION, [
      note('You are Codex.'),
      ...SESSION.slice(0, 4),
      result('1', 'one'),
      result('2', 'two'),
      reply('Done.'),
    ]);
    expect(comparison).toMatchObject({ total: 7, carried: 7, differences: [], calls: { total: 2, carried: 2 } });
  });

  it('names what was lost and what was shown though the source would not send it', () => {
    const comparison = run(SESSION, [...SESSION.slice(0, 6), reply('Text of a dead branch')]);
    expect(shown(comparison)).toEqual([
      ['lost', 'reply', 'Done.'],
      ['wrong', 'reply', 'Text of a dead branch'],
    ]);
    expect(comparison.carried).toBe(6);
  });

  it('asks of nobody what the client of the target cannot tell its model', () => {
    const oracle = [
      user('Go'),
      call('1', 'Bash', {}),
      reply('One. '),
      note('Go on.'),
      reply('Two.'),
      result('1', 'quiet', true),
      END,
    ];
    const told = [user('Go'), reply('One. Two.'), call('1', 'Bash', {}), result('1', 'quiet'), END];
    expect(compare(oracle, told, 'continue').differences).not.toEqual([]);
    const limits = { textFirst: true, joinsTexts: '', noFailures: true } as const;
    expect(compare(oracle, told, 'continue', limits)).toMatchObject({ carried: 4, total: 4, differences: [] });
  });

  it('takes the flag of an error that arrives for its failure, whatever the text says', () => {
    const oracle = [call('1', 'Bash', {}), result('1', 'quiet', true)];
    expect(run(oracle, oracle)).toMatchObject({ total: 3, carried: 3 });
    expect(shown(run(oracle, [oracle[0]!, result('1', 'quiet')]))).toEqual([['lost', 'failure', 'quiet']]);
  });

  it('knows a missing result in any words, also behind the line that says it failed', () => {
    const oracle = [call('1', 'Bash', {}), result('1', '[Tool execution was interrupted]', true)];
    const told = [call('1', 'Bash', {}), result('1', '[The tool reported an error]\nNo result provided')];
    expect(run(oracle, told)).toMatchObject({ total: 3, carried: 3, differences: [] });
  });

  it('takes a second copy of a fact as wrongly shown', () => {
    expect(shown(run(SESSION, [...SESSION, reply('Done.')]))).toEqual([['wrong', 'reply', 'Done.']]);
  });

  it('says that a fact came at the wrong place', () => {
    const moved = [SESSION[1]!, SESSION[0]!, ...SESSION.slice(2)];
    expect(shown(run(SESSION, moved)).map(([what]) => what)).toEqual(['order']);
  });

  it('does not take a result between parallel calls as their result', () => {
    const torn = [
      SESSION[0]!,
      SESSION[1]!,
      SESSION[2]!,
      result('1', 'one'),
      SESSION[3]!,
      result('2', 'two'),
      reply('Done.'),
    ];
    expect(shown(run(SESSION, torn)).map(([what]) => what)).toContain('order');
  });

  it('wants each result tied to its own call', () => {
    const crossed = [...SESSION.slice(0, 4), result('1', 'two'), result('2', 'one'), reply('Done.')];
    const comparison = run(SESSION, crossed);
    expect(comparison.carried).toBeLessThan(comparison.total);
  });

  it('compares arguments as values: the order of keys is free, every value counts', () => {
    const other = [...SESSION];
    other[3] = call('2', 'Read', { limit: 5, file_path: 'a.ts' });
    expect(run(SESSION, other).differences).toEqual([]);
    other[3] = call('2', 'Read', { file_path: 'a.ts' });
    expect(shown(run(SESSION, other))[0]?.slice(0, 2)).toEqual(['lost', 'call']);
  });

  it('accepts the declared mapping of a tool name and no other', () => {
    const mapped = [...SESSION];
    mapped[2] = call('1', 'exec_command', { cmd: 'ls' });
    expect(run(SESSION, mapped).differences).toEqual([]);
    const delegate = (name: string): Item[] => [call('9', name, { prompt: 'Look' }), result('9', 'seen')];
    expect(run(delegate('Agent'), delegate('Task')).differences).toEqual([]);
    mapped[2] = call('1', 'apply_patch', { cmd: 'ls' });
    expect(run(SESSION, mapped).calls).toEqual({ total: 2, carried: 1 });
  });

  it('asks for the error flag in words where the target has no flag', () => {
    const failed = (text: string): Item[] => [call('1', 'Bash', {}), result('1', text, true)];
    const silent = (text: string): Item[] => [call('1', 'Bash', {}), result('1', text)];
    expect(run(failed('Exit code 2'), silent('Exit code 2')).differences).toEqual([]);
    expect(shown(run(failed('{"a":1}'), silent('{"a":1}')))).toEqual([['lost', 'failure', '{"a":1}']]);
    expect(run(failed('{"a":1}'), silent('[The tool reported an error]\n{"a":1}')).differences).toEqual([]);
  });

  it('ignores notes of the source that arrive without their tags, and nothing else of its harness', () => {
    const oracle = [user('Go'), note('Your response above was cut off.'), reply('On.')];
    expect(run(oracle, [user('Go'), user('Your response above was cut off.'), reply('On.')]).differences).toEqual([]);
    expect(run(oracle, [user('Go'), user('You are in plan mode.'), reply('On.')]).differences).toHaveLength(1);
  });

  it('finds an attached file again in a prompt that holds its path and its lines', () => {
    const oracle: Item[] = [{ kind: 'attachment', path: '/p/a.md', text: 'one\ntwo' }, user('Read @a.md')];
    const arrived = user('Attached file /p/a.md:\n1\tone\n2\ttwo');
    expect(run(oracle, [user('Read @a.md'), arrived]).differences).toEqual([]);
    expect(run(oracle, [user('Read @a.md'), user('/p/a.md: one')]).differences).toHaveLength(2);
  });

  it('counts reasoning on both sides apart from the facts', () => {
    const comparison = run([{ kind: 'thinking', text: 'Hm' }, user('Go')], [user('Go')]);
    expect(comparison).toMatchObject({ total: 1, carried: 1, thinking: { source: 1, target: 0 } });
  });
});

describe('withheld text', () => {
  it('stands for any text, and the rest has to be equal', () => {
    expect(sameText('a=hunter2;b=1', 'a=[REDACTED:password:1];b=1')).toBe(true);
    expect(sameText('a=hunter2;b=1', 'a=[REDACTED:password:1];b=2')).toBe(false);
    expect(sameText('x hunter2 y hunter3 z', 'x [REDACTED:password:1] y [REDACTED:password:2] z')).toBe(true);
    expect(sameText('plain', 'other')).toBe(false);
  });

  it('is counted', () => {
    const comparison = run([user('key hunter2')], [user('key [REDACTED:password:1]')]);
    expect(comparison).toMatchObject({ carried: 1, redacted: 1, differences: [] });
  });
});
