import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TranscriptRow, transcriptRowSchema } from '../../shared/transcript.ts';
import { FLAG } from './flags.ts';
import { readSpecial, specialSeqs } from './model.ts';
import { PREVIEW_CHARS } from './preview.ts';
import { buildRows, sightOf } from './rows.ts';
import { LogBuilder, textBlocks } from './testing.ts';
import { pageSeqs, RowPlan } from './transcript.ts';

function page(log: LogBuilder, from = 0, limit = 1000): { rows: TranscriptRow[]; plan: RowPlan } {
  const index = log.index();
  const plan = new RowPlan().extend(index);
  const sight = sightOf(index, readSpecial(specialSeqs(index).map((seq) => log.events[seq]!)));
  const events = pageSeqs(plan, index, from, limit).map((seq) => log.events[seq]!);
  const rows = buildRows(plan, sight, events, from, limit);
  for (const row of rows) expect(transcriptRowSchema.parse(row)).toEqual(row);
  return { rows, plan };
}

/** One word a row: its kind, and for tools their ids. */
function outline(log: LogBuilder): string[] {
  return page(log).rows.map((row) =>
    row.kind === 'tools' ? `tools ${row.calls.map((card) => card.call_id).join('')}` : row.kind,
  );
}

describe('rows', () => {
  it('groups calls until something said stands between, with results wherever they stand', () => {
    const log = new LogBuilder();
    log.event('session.start', { cwd: '/home/dev/a' });
    log.user('a');
    log.thinking('r1', 'let me see');
    log.call('r1', 'A');
    log.call('r1', 'B');
    log.result('B', 'b');
    log.system('reminder');
    log.result('A', 'a', undefined, {
      is_error: true,
      exit_code: 1,
      duration_ms: 12,
      truncated: { bytes: 9, artifact: 'artifact:sha256:1' },
    });
    log.call('r2', 'C');
    log.user('queued', undefined, 'queued');
    log.result('C', 'late');
    log.assistant('r3', 'done', undefined, { model: 'm' });
    log.call('r3', 'D');
    expect(outline(log)).toEqual(['prompt', 'thinking', 'tools ABC', 'system', 'prompt', 'text', 'tools D']);
    const { rows, plan } = page(log);
    const tools = rows[2];
    expect(tools).toMatchObject({ kind: 'tools', errors: 1 });
    expect(tools?.kind === 'tools' && tools.calls.map((card) => card.result?.content)).toEqual([
      textBlocks('a'),
      textBlocks('b'),
      textBlocks('late'),
    ]);
    expect(tools?.kind === 'tools' && tools.calls[0]?.result).toMatchObject({
      is_error: true,
      exit_code: 1,
      duration_ms: 12,
      truncated: { bytes: 9 },
    });
    expect(plan).toMatchObject({ prompts: [0, 4], replies: [5], tools: [2, 6], errors: [2] });
    expect(rows.filter((row) => row.kind === 'prompt').map((row) => row.turn)).toEqual([1, 2]);
  });

  it('puts at most forty calls into a row', () => {
    const log = new LogBuilder();
    for (let i = 0; i < 90; i++) {
      log.call(`r${i}`, `${i};`);
      log.result(`${i};`);
    }
    const sizes = page(log).rows.map((row) => (row.kind === 'tools' ? row.calls.length : 0));
    expect(sizes).toEqual([40, 40, 10]);
  });

  it('gives a result to its call beyond the limits of a group', () => {
    const log = new LogBuilder();
    const seqs = Array.from({ length: 50 }, (_, i) => log.call('r1', `${i}`));
    for (const [i, seq] of seqs.entries()) log.result(`${i}`, `out ${i}`, seq);
    const cards = page(log).rows.flatMap((row) => (row.kind === 'tools' ? row.calls : []));
    expect(cards.map((card) => card.result?.content)).toEqual(seqs.map((_, i) => textBlocks(`out ${i}`)));
  });

  it('shows a result without its call', () => {
    const log = new LogBuilder();
    log.user('a');
    log.result('lost', 'found');
    const { rows } = page(log);
    expect(rows[1]).toMatchObject({ kind: 'tools', calls: [{ call_id: 'lost', name: 'Result without its call' }] });
  });

  it('takes the header from the input that matters and the diff from the derived edit', () => {
    const log = new LogBuilder();
    log.call('r1', 'A', 'shell', { command: 'npm test\n  -- auth', description: 'x' });
    const edit = log.call('r1', 'B', 'edit', { file_path: '/home/dev/a.ts', old_string: 'x', new_string: 'y' });
    log.event(
      'file.edit',
      { path: '/home/dev/a.ts', op: 'edit', diff: '--- a\n+++ b\n-x\n+y\n+z' },
      { refs: [`seq:${edit}`] },
    );
    log.call(
      'r1',
      'C',
      'edit',
      '*** Begin Patch\n*** Update File: src/a.py\n@@\n-a\n+b\n*** Add File: b.md\n+x\n*** End Patch',
    );
    log.call('r1', 'D', 'mcp', { path: 'docs/units.md', text: 'grams' });
    log.call('r1', 'E', 'todo', { todos: [1, 2] });
    log.call('r1', 'F', 'other', null);
    const row = page(log).rows[0];
    const cards = row?.kind === 'tools' ? row.calls : [];
    expect(cards.map((card) => card.header)).toEqual([
      'npm test -- auth',
      '/home/dev/a.ts',
      'src/a.py, b.md',
      'docs/units.md',
      '2 items',
      '',
    ]);
    expect(cards[1]).toMatchObject({ added: 2, removed: 1 });
  });

  it('marks dead branches and what a compaction took from the model', () => {
    const log = new LogBuilder();
    const a = log.user('a');
    const kept = log.assistant('r1', 'b', a);
    log.user('dead', kept);
    const summary = log.compacted([kept], { trigger: 'auto', tokens_before: 9, tokens_after: 3 }, kept);
    log.user('c', summary);
    expect(page(log).rows.map(({ active, in_model }) => [active, in_model])).toEqual([
      [true, false],
      [true, true],
      [false, false],
      [true, true],
      [true, true],
    ]);
    expect(page(log).rows[3]).toMatchObject({ kind: 'rule', rule: 'compaction', tokens_before: 9, tokens_after: 3 });
  });

  it('collects unknown records, and shows warnings, forks and handoffs where they occurred', () => {
    const log = new LogBuilder();
    log.event('session.fork', { from_session: 'sess_1', from_seq: 4, reason: 'try' });
    log.meta('unknown', { type: 'x' });
    log.meta('mode', 'plan');
    log.meta('unknown', { type: 'y' });
    log.event('z.future', {});
    log.meta('warning', { about: 'malformed-line', detail: 'bad', line: 7 });
    log.event('handoff', { to_agent: 'codex', to_session: 'sess_2', state: 'done' });
    log.event('decision', { conclusion: 'use YAML' });
    log.event('session.end', { end_reason: 'exit' });
    const { rows } = page(log);
    expect(rows).toMatchObject([
      { kind: 'rule', rule: 'fork', session: 'sess_1' },
      { kind: 'unknown', record_type: 'x, y, z.future', count: 3 },
      { kind: 'warning', about: 'malformed-line', line: 7 },
      { kind: 'rule', rule: 'handoff', text: 'Continued in Codex', session: 'sess_2' },
      { kind: 'system', about: 'decision' },
      { kind: 'rule', rule: 'end', text: 'Session ended: exit' },
    ]);
  });

  it('collects reasoning that cannot be read into one row a stretch', () => {
    const log = new LogBuilder();
    for (const id of ['A', 'B', 'C']) {
      log.thinking(id, undefined);
      log.call(id, id);
      log.result(id);
    }
    expect(outline(log)).toEqual(['thinking', 'tools ABC']);
    expect(page(log).rows[0]).toMatchObject({ text: null, form: 'encrypted' });
  });

  it('cuts long texts to previews, and says how much is missing', () => {
    const log = new LogBuilder();
    log.user('🍏'.repeat(60_000));
    log.call('r1', 'A', 'write', {
      path: 'a',
      content: 'x'.repeat(200_000),
      list: Array.from({ length: 5000 }, () => 'entry'),
    });
    log.result('A', 'y'.repeat(200_000));
    const text = JSON.stringify(page(log).rows);
    expect(text.length).toBeLessThan(4 * PREVIEW_CHARS);
    expect(text.isWellFormed()).toBe(true);
    expect(text).toMatch(/more characters/);
  });
});

describe('plans', () => {
  const step = fc.tuple(
    fc.constantFrom(
      'user',
      'text',
      'think',
      'opaque',
      'call',
      'result',
      'edit',
      'system',
      'unknown',
      'meta',
      'compact',
    ),
    fc.nat(),
    fc.nat(6),
  );
  const logs = fc.array(step, { maxLength: 80 }).map((steps) => {
    const log = new LogBuilder();
    for (const [seq, [kind, where, k]] of steps.entries()) {
      const below = seq === 0 ? null : where % 3 === 0 ? where % seq : seq - 1;
      if (kind === 'user') log.user('u', below);
      else if (kind === 'text') log.assistant(`r${k}`, 't', below);
      else if (kind === 'think') log.thinking(`r${k}`, 't', below);
      else if (kind === 'opaque') log.thinking(`r${k}`, undefined, below);
      else if (kind === 'call') log.call(`r${k}`, `c${k}`, 'shell', {}, below);
      else if (kind === 'result') log.result(`c${k}`, 'x', below, { is_error: where % 2 === 0 });
      else if (kind === 'edit')
        log.event('file.edit', { path: 'a', diff: '+x' }, { parent: below, refs: [`seq:${below}`] });
      else if (kind === 'system') log.system('s', below);
      else if (kind === 'unknown') log.meta('unknown', {});
      else if (kind === 'meta') log.meta('mode', 1);
      else log.compacted([], {}, below);
    }
    return log;
  });

  it('are the same whether made at once or extended, and only grow', () => {
    fc.assert(
      fc.property(logs, fc.nat(80), (log, cut) => {
        const index = log.index();
        const whole = new RowPlan().extend(index);
        const part = new RowPlan().extend({ ...index, n: Math.min(cut, index.n) });
        const before = { first: [...part.first.subarray(0, part.rows)], kind: [...part.kind.subarray(0, part.rows)] };
        part.extend(index);
        expect([...part.rowOf.subarray(0, index.n)]).toEqual([...whole.rowOf.subarray(0, index.n)]);
        expect([part.rows, part.prompts, part.replies, part.tools, part.errors]).toEqual([
          whole.rows,
          whole.prompts,
          whole.replies,
          whole.tools,
          whole.errors,
        ]);
        expect([...part.first.subarray(0, before.first.length)]).toEqual(before.first);
        expect([...part.kind.subarray(0, before.kind.length)]).toEqual(before.kind);
      }),
    );
  });

  it('show every event that is not hidden exactly once, in ascending rows, on whatever pages', () => {
    fc.assert(
      fc.property(logs, fc.integer({ min: 1, max: 7 }), (log, size) => {
        const index = log.index();
        const plan = new RowPlan().extend(index);
        const rows: TranscriptRow[] = [];
        for (let from = 0; from < plan.rows; from += size) rows.push(...page(log, from, size).rows);
        expect(rows).toEqual(page(log).rows);
        expect(rows.map((row) => row.ordinal)).toEqual([...rows.keys()]);
        expect(rows).toHaveLength(plan.rows);
        const results = rows.flatMap((row) => (row.kind === 'tools' ? row.calls.map((card) => card.result?.seq) : []));
        const expected = log.events.filter((event) => event.type === 'tool.result').map((event) => event.seq);
        expect(results.filter((seq) => seq !== undefined).toSorted((a, b) => a - b)).toEqual(expected);
        const shown = log.events.filter((event) => !(index.flags[event.seq]! & FLAG.HIDDEN));
        for (const event of shown) expect(plan.first[plan.rowOf[event.seq]!]).toBeLessThanOrEqual(event.seq);
      }),
    );
  });
});
