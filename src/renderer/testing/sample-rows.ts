import type { z } from 'zod';
import type { jumpsSchema } from '../../shared/api.ts';
import type { ToolCard, TranscriptRow } from '../../shared/transcript.ts';
import { now } from './samples.ts';

type Draft = Omit<TranscriptRow, 'ordinal' | 'seq' | 'ts' | 'active' | 'in_model'> & { seq: number; active?: boolean };
const text = (value: string) => [{ kind: 'text' as const, text: value }];

type CallDraft = Pick<ToolCard, 'tool' | 'header'> & Partial<ToolCard> & { out?: string; exit?: number; ms?: number };
function call(seq: number, { out = '', exit, ms, ...more }: CallDraft): ToolCard {
  return {
    seq,
    call_id: `call_${seq}`,
    name: more.tool,
    arguments: { value: more.header },
    result: {
      seq: seq + 1,
      is_error: (exit ?? 0) !== 0,
      closed: 'ran',
      content: text(out),
      ...(exit === undefined ? {} : { exit_code: exit }),
      ...(ms === undefined ? {} : { duration_ms: ms }),
    },
    ...more,
  };
}

const REFRESH_DIFF = `@@ -41,5 +41,8 @@
   const family = await families.lock(token.familyId);
   if (family.current !== token.id) {
-    await families.revoke(family.id, "token_reused");
-    throw new AuthError("token_reused");
+    const age = clock.now() - family.rotatedAt;
+    if (token.id === family.previous && age <= GRACE_MS) {
+      return family.currentPair();
+    }
+    await families.revoke(family.id, "token_reused");
   }`;
const FAIL_OUT = `FAIL  src/auth/refresh.test.ts › concurrent refresh keeps both tabs
  expected status 200, received 401 "token_reused"
    at src/auth/refresh.test.ts:88:24
${Array.from({ length: 58 }, (_, i) => `    at frame ${i} (node:internal/process/task_queues:${95 + i})`).join('\n')}`;
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const SAMPLE_IMAGE = { media_type: 'image/png', base64: PIXEL };

/** The transcript of the drawn view, as rows. */
const DRAWN: Draft[] = [
  {
    seq: 771,
    kind: 'rule',
    rule: 'compaction',
    text: 'Compacted by Claude Code',
    tokens_before: 168_000,
    tokens_after: 21_000,
    content: text('The user is rotating refresh tokens. Families are locked by id. Nine files were touched.'),
  } as Draft,
  {
    seq: 772,
    kind: 'system',
    about: 'reminder',
    content: text('The todo list has changed. Do not mention this to the user.'),
  } as Draft,
  {
    seq: 804,
    kind: 'prompt',
    turn: 13,
    via: 'prompt',
    content: text(
      'People with two tabs open get logged out when both refresh at once. Keep rotation, but the loser of the race must not lose its session. Do not add a new dependency.',
    ),
  } as Draft,
  {
    seq: 805,
    kind: 'thinking',
    form: 'signed',
    text: 'The second tab presents a token that was rotated 40 ms ago. Locking the family row is enough if the clock is monotonic.',
  } as Draft,
  {
    seq: 806,
    kind: 'tools',
    errors: 1,
    calls: [
      ...Array.from({ length: 7 }, (_, i) =>
        call(806 + i, {
          tool: 'read',
          name: 'Read',
          header: `src/auth/${['refresh', 'families', 'clock'][i % 3]}.ts`,
          out: 'export const GRACE_MS = 10_000;',
        }),
      ),
      ...Array.from({ length: 3 }, (_, i) =>
        call(813 + i, { tool: 'search', name: 'Grep', header: 'db/migrations', out: 'a\nb' }),
      ),
      call(810, {
        tool: 'shell',
        name: 'Bash',
        header: 'pnpm test -- auth/refresh',
        out: FAIL_OUT,
        exit: 1,
        ms: 12_400,
      }),
    ],
  } as Draft,
  {
    seq: 812,
    kind: 'text',
    synthetic: false,
    content: text(
      'The second tab presents a token that was rotated 40 ms ago, so reuse detection fires. I will give each family a grace window of 10 s in which the previous token returns the *current* pair instead of revoking the family.',
    ),
  } as Draft,
  {
    seq: 813,
    kind: 'tools',
    errors: 0,
    calls: [
      call(813, {
        tool: 'edit',
        name: 'Edit',
        header: 'src/auth/refresh.ts',
        diff: REFRESH_DIFF,
        added: 5,
        removed: 2,
      }),
      call(814, {
        tool: 'write',
        name: 'Write',
        header: 'db/migrations/0042_token_family_previous.sql',
        diff: Array.from(
          { length: 45 },
          (_, i) => `+ALTER TABLE token_family ADD COLUMN previous_${i} text; -- step ${i}`,
        ).join('\n'),
        added: 45,
        removed: 0,
      }),
    ],
  } as Draft,
  { seq: 815, kind: 'rule', rule: 'fork', text: '2 forks start here', session: 's17' } as Draft,
  {
    seq: 816,
    kind: 'tools',
    errors: 0,
    calls: [
      call(816, {
        tool: 'shell',
        name: 'Bash',
        header: 'pnpm test -- auth',
        out: 'Tests 41 passed',
        exit: 0,
        ms: 14_100,
      }),
      call(817, {
        tool: 'agent',
        name: 'Task',
        header: 'List callers that store a refresh token',
        out: 'Four callers.',
        child_session: 's19',
      }),
      call(818, { tool: 'mcp', name: 'tracker', header: 'get_issue PB-1187', out: '{"state":"open"}' }),
      call(819, { tool: 'todo', name: 'TodoWrite', header: '3 of 5 done: add metric for grace hits', out: '' }),
    ],
  } as Draft,
  { seq: 820, kind: 'unknown', record_type: 'queue.checkpoint', count: 1 } as Draft,
  {
    seq: 821,
    kind: 'tools',
    errors: 0,
    calls: [{ ...call(821, { tool: 'shell', name: 'Bash', header: 'pnpm lint --filter api' }), result: null }],
  } as Draft,
];

/** `count` rows: earlier turns made up, the drawn ones last. */
export function sampleRows(count: number): TranscriptRow[] {
  const made = Array.from({ length: Math.max(0, count - DRAWN.length) }, (_, i): Draft => {
    const seq = i + 1;
    const turn = Math.floor(i / 8) + 1;
    if (i % 8 === 0)
      return {
        seq,
        kind: 'prompt',
        turn,
        via: 'prompt',
        content:
          i === 8
            ? [
                ...text('This is what I see:'),
                { kind: 'image', media_type: 'image/png', artifact: 'sha256:pixel', bytes: 84, alt: 'Screenshot' },
              ]
            : text(`Earlier question ${turn}: what does the worker do when the queue is empty?`),
      } as Draft;
    if (i % 8 === 3)
      return {
        seq,
        kind: 'tools',
        errors: i % 24 === 3 ? 1 : 0,
        calls: [
          call(seq, {
            tool: 'shell',
            name: 'Bash',
            header: `node scripts/run-${i}.mjs`,
            out: 'done',
            exit: i % 24 === 3 ? 2 : 0,
            ms: 180,
          }),
        ],
      } as Draft;
    return {
      seq,
      kind: 'text',
      synthetic: false,
      content: text(
        `Answer ${i}. It waits on the condition variable, and wakes with the first job.\n\n\`\`\`ts\nconst job = await queue.take(); // blocks\n\`\`\``,
      ),
      active: !(i >= 20 && i <= 22),
    } as Draft;
  });
  const rows = [...made, ...DRAWN].slice(-count);
  return rows.map(
    (row, ordinal) =>
      ({
        ...row,
        ordinal,
        ts: now() - (rows.length - ordinal) * 40,
        active: row.active ?? true,
        in_model: true,
      }) as TranscriptRow,
  );
}

/** One more row, as an agent that works on would add it. */
export const moreRow = (ordinal: number): TranscriptRow => ({
  ordinal,
  seq: 1000 + ordinal,
  ts: now(),
  active: true,
  in_model: true,
  kind: 'text',
  synthetic: false,
  content: text(`A new line has just been written, number ${ordinal}.`),
});

export function jumpsOf(rows: readonly TranscriptRow[]): z.infer<typeof jumpsSchema> {
  const where = (test: (row: TranscriptRow) => boolean) => rows.filter(test).map((row) => row.ordinal);
  return {
    prompts: where((row) => row.kind === 'prompt'),
    replies: where((row) => row.kind === 'text'),
    tools: where((row) => row.kind === 'tools'),
    errors: where((row) => row.kind === 'tools' && row.errors > 0),
  };
}
