import { familyGraph } from '../../core/lineage/graph.ts';
import type { FamilyMember } from '../../core/lineage/node.ts';
import type { Input, Output } from '../../shared/api.ts';
import { NO_USAGE } from '../../shared/session.ts';
import { TOKEN_CAUSES, type TokensByCause, type Turn } from '../../shared/turns.ts';
import { now } from './samples.ts';

/** The family of the drawn lineage: one session, three branches, a sub-agent, a merge. */

const PROMPTS = [
  'Read how refresh works now and list what could log people out',
  'Use the families table from migration 0041, do not touch sessions',
  'Add the clock port so tests can move time',
  'Explain why reuse detection fires 40 ms after rotation',
  'Write the failing test for two tabs first',
  'Wire the lock into refresh.ts and keep the old error codes',
  'People with two tabs open get logged out when both refresh at once',
  'Grace window of 10 s for the previous token',
  'Add a metric for grace hits, then run the whole suite',
  'Lint and metric for grace hits',
];

function turn(number: number, minutesAgo: number, prompt: string, more: Partial<Turn> = {}): Turn {
  const seq = number * 60 - 40;
  return {
    turn: number,
    seq,
    last_seq: seq + 50,
    parent_seq: seq - 1,
    ts: now() - minutesAgo * 60,
    seconds: 90 + number * 20,
    prompt,
    reply: '',
    model: 'claude-opus-4-6',
    active: true,
    copied: false,
    usage: { ...NO_USAGE, input: 9000 + number * 3100 },
    context_tokens: null,
    added: Object.fromEntries(TOKEN_CAUSES.map((cause) => [cause, 0])) as TokensByCause,
    tools: {},
    subagents: [],
    errors: 0,
    files: Array.from({ length: number % 4 }, (_, i) => `src/auth/file-${number + i}.ts`),
    files_edited: number % 4,
    exit_code: null,
    compactions: [],
    ...more,
  };
}

function member(id: string, title: string, more: Partial<FamilyMember['row']> & Partial<FamilyMember>): FamilyMember {
  const { turns = [], from_seq = null, merges = [], ...row } = more;
  return {
    row: {
      id,
      title,
      agent: 'claude',
      model: 'claude-opus-4-6',
      git_branch: null,
      parent: null,
      parent_kind: null,
      status: 'idle',
      started_at: now() - 240 * 60,
      ...row,
    },
    turns,
    from_seq,
    merges,
  };
}

const family = (): FamilyMember[] => [
  member('s1', 'Rotate refresh tokens without logging people out', {
    git_branch: 'auth-rotation',
    status: 'working',
    turns: PROMPTS.map((prompt, i) =>
      turn(i + 1, [232, 224, 106, 78, 64, 35, 19, 14, 2, 1][i] ?? 0, prompt, {
        errors: i === 4 ? 2 : 0,
        ...(i === 5 ? { compactions: [{ seq: 340, before: 168_000, after: 21_000 }] } : {}),
      }),
    ),
    merges: [
      { seq: 495, ts: now() - 3 * 60, from: 's17', from_seq: null, text: 'from Redis for token families: 9 items' },
    ],
  }),
  member('s17', 'Redis for token families', {
    agent: 'codex',
    git_branch: 'redis-try',
    parent: 's1',
    parent_kind: 'handoff',
    from_seq: 445,
    turns: Array.from({ length: 6 }, (_, i) => turn(i + 1, 12 - i, `Try ${i + 1} with Redis`)),
  }),
  member('s18', 'No grace window', {
    agent: 'pi',
    git_branch: 'no-grace',
    parent: 's1',
    parent_kind: 'fork',
    from_seq: 445,
    status: 'ended_mid_tool',
    turns: [turn(1, 9, 'No grace window')],
  }),
  member('s19', 'List callers that store a refresh token', {
    parent: 's1',
    parent_kind: 'subagent',
    from_seq: 390,
    turns: [turn(1, 16, 'List callers that store a refresh token')],
  }),
];

/** A page of the sample family, or one session's lone line. */
export function sampleGraph({
  id,
  rows = 'segments',
  subagents = true,
  open = [],
  from = 0,
  limit = 200,
}: Input<'lineage.graph'>): Output<'lineage.graph'> {
  const members = ['s1', 's17', 's18', 's19'].includes(id)
    ? family()
    : [member(id, 'A session of its own', { turns: [turn(1, 30, 'Its only prompt')] })];
  const all = familyGraph(members, { focus: id, rows, subagents, open: new Set(open) });
  return {
    total: all.length,
    sessions: members.length,
    events: 1904,
    tokens: 6_900_000,
    rows: all.slice(from, from + limit),
  };
}
