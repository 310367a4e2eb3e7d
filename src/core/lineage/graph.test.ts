import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GraphRow, graphRowSchema } from '../../shared/lineage.ts';
import { NO_USAGE } from '../../shared/session.ts';
import { TOKEN_CAUSES, type TokensByCause, type Turn } from '../../shared/turns.ts';
import { familyGraph, type GraphOptions } from './graph.ts';
import { MOST_LANES } from './lanes.ts';
import type { FamilyMember } from './node.ts';

const T = 1_790_000_000;

function turn(number: number, seq: number, at: number, more: Partial<Turn> = {}): Turn {
  return {
    turn: number,
    seq,
    last_seq: seq + 9,
    parent_seq: seq === 1 ? null : seq - 1,
    ts: T + at,
    seconds: 5,
    prompt: `prompt ${number}`,
    reply: '',
    model: null,
    active: true,
    copied: false,
    usage: { ...NO_USAGE, input: 10 },
    context_tokens: null,
    added: Object.fromEntries(TOKEN_CAUSES.map((cause) => [cause, 0])) as TokensByCause,
    tools: {},
    subagents: [],
    errors: 0,
    files: [],
    files_edited: 0,
    exit_code: null,
    compactions: [],
    ...more,
  };
}

/** A session with turns at the given times, ten events each. */
function member(
  id: string,
  times: number[],
  more: Partial<FamilyMember['row']> & Partial<FamilyMember> = {},
): FamilyMember {
  const { turns, from_seq = null, merges = [], ...row } = more;
  return {
    row: {
      id,
      agent: 'claude',
      title: `title of ${id}`,
      model: 'm',
      git_branch: null,
      parent: null,
      parent_kind: row.parent === undefined ? null : 'fork',
      status: 'idle',
      started_at: times[0] === undefined ? null : T + times[0],
      ...row,
    },
    turns: turns ?? times.map((at, i) => turn(i + 1, 1 + 10 * i, at)),
    from_seq,
    merges,
  };
}

function graph(members: FamilyMember[], options: Partial<GraphOptions> = {}): GraphRow[] {
  const rows = familyGraph(members, {
    focus: members[0]!.row.id,
    rows: 'turns',
    subagents: true,
    open: new Set(),
    ...options,
  });
  for (const row of rows) expect(graphRowSchema.parse(row)).toEqual(row);
  expectWhole(rows);
  return rows;
}

/** Lines are whole: what leaves a row downwards arrives in the next one, and the other way round. */
function expectWhole(rows: readonly GraphRow[]): void {
  for (const [i, row] of rows.entries()) {
    const lanes = row.strokes.map(({ lane }) => lane);
    expect(new Set(lanes).size).toBe(lanes.length);
    expect(lanes).toContain(row.lane);
    const below = row.strokes.filter((stroke) => stroke.below || stroke.bend === 'below').map(({ lane }) => lane);
    const next = rows[i + 1];
    const above = next === undefined ? [] : next.strokes.filter((stroke) => stroke.above).map(({ lane }) => lane);
    expect(above.toSorted()).toEqual(below.toSorted());
    if (i === 0) expect(row.strokes.some((stroke) => stroke.above)).toBe(false);
  }
}

/** One line a row: lane, kind, text, and what bends into it. */
function drawn(rows: readonly GraphRow[]): string[] {
  return rows.map(({ lane, kind, text, strokes }) =>
    [
      lane,
      kind,
      text,
      ...strokes.flatMap((stroke) => (stroke.bend ? [`${stroke.lane} from ${stroke.bend}`] : [])),
    ].join(' '),
  );
}

describe('the graph of a family', () => {
  it('draws one session as one line, newest first, with its head named', () => {
    const rows = graph([member('a', [0, 10], { git_branch: 'main', status: 'working' })]);
    expect(drawn(rows)).toEqual(['0 turn prompt 2', '0 turn prompt 1', '0 start m']);
    expect(rows[0]!.head).toEqual({ label: 'main', status: 'working' });
    expect(rows[1]!.head).toBeNull();
  });

  it('lets a fork leave the turn that it started at, and keeps the first lane for the session looked at', () => {
    const parent = member('a', [0, 10, 40]);
    const fork = member('b', [20, 30], { parent: 'a', from_seq: 15 });
    expect(drawn(graph([parent, fork]))).toEqual([
      '0 turn prompt 3',
      '1 turn prompt 2',
      '1 turn prompt 1',
      '0 turn prompt 2 1 from above',
      '0 turn prompt 1',
      '0 start m',
    ]);
    const other = graph([parent, fork], { focus: 'b' });
    expect(other.map(({ lane }) => lane)).toEqual([1, 0, 0, 0, 0, 0]);
    expect(other[3]).toMatchObject({ session: 'a', branches: ['b'], turn: 2 });
  });

  it('draws what was copied once, and finds its place by what was said when', () => {
    const copies = [turn(1, 1, 0, { copied: true }), turn(2, 11, 10, { copied: true }), turn(3, 21, 50)];
    const rows = graph([member('a', [0, 10, 20]), member('b', [], { parent: 'a', turns: copies })]);
    expect(rows.map(({ session, turn: number }) => `${session}${number}`)).toEqual(['b3', 'a3', 'a2', 'a1', 'a0']);
    expect(rows[0]).toMatchObject({ came: 'fork', exact: true });
    expect(rows[2]!.branches).toEqual(['b']);
  });

  it('says where a place is known by time alone', () => {
    const rows = graph([member('a', [0, 10, 20]), member('b', [15], { parent: 'a' })]);
    expect(rows.find(({ session }) => session === 'b')).toMatchObject({ exact: false });
    expect(rows.find(({ branches }) => branches.length > 0)).toMatchObject({ turn: 2 });
  });

  it('gives a sub-agent one dashed node beside the turn that called it', () => {
    const child = member('s', [11, 12, 13], {
      parent: 'a',
      parent_kind: 'subagent',
      from_seq: 12,
      title: 'Look around',
    });
    const rows = graph([member('a', [0, 10, 20]), child]);
    expect(drawn(rows)).toEqual([
      '0 turn prompt 3',
      '1 subagent Look around',
      '0 turn prompt 2 1 from above',
      '0 turn prompt 1',
      '0 start m',
    ]);
    expect(rows[1]).toMatchObject({
      turns: 3,
      tokens: 30,
      strokes: [{ lane: 0 }, { lane: 1, dashed: true, above: false }],
    });
    expect(graph([member('a', [0, 10, 20]), child], { subagents: false })).toHaveLength(4);
  });

  it('marks a handoff where it began, and goes on in its line when nothing else does', () => {
    const child = member('b', [30], { parent: 'a', parent_kind: 'handoff', agent: 'codex', from_seq: 15 });
    expect(drawn(graph([member('a', [0, 10]), child], { focus: 'b' }))).toEqual([
      '0 turn prompt 1',
      '0 handoff title of b',
      '0 turn prompt 2',
      '0 turn prompt 1',
      '0 start m',
    ]);
  });

  it('draws a merge with a line to what was merged in', () => {
    const fork = member('b', [20], { parent: 'a', from_seq: 5 });
    const main = member('a', [0, 10, 40], { merges: [{ seq: 19, ts: null, from: 'b', from_seq: 5, text: '3 items' }] });
    expect(drawn(graph([main, fork]))).toEqual([
      '0 turn prompt 3',
      '0 merge 3 items 1 from below',
      '1 turn prompt 1',
      '0 turn prompt 2',
      '0 turn prompt 1 1 from above',
      '0 start m',
    ]);
  });

  it('shows compactions, and dead branches of a session beside the line that lives', () => {
    const turns = [
      turn(1, 1, 0, { compactions: [{ seq: 8, before: 900, after: 90 }] }),
      turn(2, 11, 10, { active: false }),
      turn(3, 21, 20, { parent_seq: 10 }),
    ];
    const rows = graph([member('a', [], { turns })]);
    expect(drawn(rows)).toEqual([
      '0 turn prompt 3',
      '1 turn prompt 2',
      '0 compaction  1 from above',
      '0 turn prompt 1',
      '0 start m',
    ]);
    expect(rows[1]!.active).toBe(false);
    expect(rows[2]).toMatchObject({ before: 900, after: 90 });
  });

  it('draws plain stretches as one row until it is opened; errors and branch points stand out', () => {
    const turns = Array.from({ length: 12 }, (_, i) =>
      turn(i + 1, 1 + 10 * i, 10 * i, { files: [`f${i % 2}`], errors: i === 5 ? 1 : 0 }),
    );
    const rows = graph([member('a', [], { turns })], { rows: 'segments' });
    expect(rows.map(({ kind, turns: n, turn: last }) => `${kind} ${n} ${last}`)).toEqual([
      'turn 1 12',
      'run 5 11',
      'turn 1 6',
      'run 5 5',
      'start 0 0',
    ]);
    expect(rows[1]).toMatchObject({ tokens: 50, files: 2, seq: 61, last_seq: 110, seconds: 45 });
    const opened = graph([member('a', [], { turns })], { rows: 'segments', open: new Set([rows[1]!.id]) });
    expect(opened).toHaveLength(9);
  });

  it('counts the branches that get no lane where they start', () => {
    const forks = Array.from({ length: 20 }, (_, i) => member(`f${i}`, [100 + i], { parent: 'a', from_seq: 5 }));
    const rows = graph([member('a', [0, 200]), ...forks]);
    expect(Math.max(...rows.map(({ lane }) => lane))).toBe(MOST_LANES - 1);
    const shown = rows.filter(({ session }) => session !== 'a').length;
    expect(rows.find(({ more }) => more > 0)).toMatchObject({ turn: 1, more: 20 - shown });
  });

  it('finds the place before a fork again when that fork lost its start to what was said in it', () => {
    const merges = [{ seq: 0, ts: null, from: 'a', from_seq: null, text: 'm' }];
    const b = member('b', [30], { parent: 'c', merges });
    const rows = graph([member('a', [0]), b, member('c', [10, 20], { parent: 'a', git_branch: 'other' })]);
    expect(rows.map(({ session, kind }) => `${session} ${kind}`)).toContain('b merge');
    // the merge stands above the other session's turn, whose name stays with it
    expect(rows.find(({ head }) => head?.label === 'other')?.session).toBe('c');
  });

  it('gives a line that hangs on nothing a lane, since nothing could count it', () => {
    const forks = Array.from({ length: 20 }, (_, i) => member(`f${i}`, [100 + i], { parent: 'a', from_seq: 5 }));
    const rows = graph([member('a', [0, 200]), ...forks, member('alone', [50])]);
    expect(rows.some(({ session }) => session === 'alone')).toBe(true);
  });

  it('ends where one of two sessions that name each other begins with the other', () => {
    const b = member('b', [], { turns: [turn(1, 1, 0, { ts: null })], parent: 'c' });
    const c = member('c', [], { turns: [turn(1, 1, 0, { ts: null })], parent: 'b', from_seq: 0 });
    const rows = graph([member('a', [0]), b, c]);
    expect(rows.filter(({ kind }) => kind === 'turn')).toHaveLength(3);
  });

  it('does not hang on sessions that name each other, or on merges in a circle', () => {
    const a = member('a', [0], { parent: 'b', merges: [{ seq: 9, ts: null, from: 'b', from_seq: null, text: '' }] });
    const b = member('b', [1], { parent: 'a', merges: [{ seq: 9, ts: null, from: 'a', from_seq: null, text: '' }] });
    expect(graph([a, b]).length).toBeGreaterThan(2);
  });

  it('has every turn once, each above what it came from, in any family', () => {
    const session = fc.record({
      parent: fc.nat(),
      kind: fc.constantFrom('fork', 'handoff', 'subagent', 'continuation', 'reset'),
      times: fc.array(fc.option(fc.nat(50)), { maxLength: 6 }),
      from: fc.option(fc.nat(60)),
      dead: fc.nat(6),
      merge: fc.option(fc.tuple(fc.nat(), fc.nat(60))),
    });
    fc.assert(
      fc.property(fc.array(session, { minLength: 1, maxLength: 30 }), fc.boolean(), (sessions, whole) => {
        const members = sessions.map(({ parent, kind, times, from, dead, merge }, i) =>
          member(`s${i}`, [], {
            turns: times.map((at, n) =>
              turn(n + 1, 1 + 10 * n, 0, {
                ts: at === null ? null : T + at,
                active: n !== dead,
                errors: (at ?? 0) % 3,
              }),
            ),
            started_at: null,
            parent: i === 0 ? null : `s${parent % sessions.length}`,
            parent_kind: i === 0 ? null : kind,
            from_seq: from,
            merges:
              merge === null
                ? []
                : [{ seq: merge[1], ts: null, from: `s${merge[0] % sessions.length}`, from_seq: null, text: 'm' }],
          }),
        );
        const rows = graph(members, { rows: whole ? 'turns' : 'segments' });
        expect(new Set(rows.map(({ id, kind }) => `${id} ${kind}`)).size).toBe(rows.length);
        const all = members.reduce(
          (sum, { row, turns }) => sum + (row.parent_kind === 'subagent' ? 0 : turns.length),
          0,
        );
        const count = rows.reduce((sum, { kind, turns }) => sum + (kind === 'turn' || kind === 'run' ? turns : 0), 0);
        if (rows.every(({ more }) => more === 0)) expect(count).toBe(all);
      }),
      // with it a line from a merge once ended at no row
      { seed: 20261130, numRuns: 300 },
    );
  });
});
