import type {
  FidelityReport,
  FidelityRow,
  HandoffInput,
  HandoffPlan,
  HandoffResult,
  Outcome,
  Receipt,
  SagaStep,
} from '../../shared/handoff.ts';
import { now } from './samples.ts';

const row = (kind: string, outcome: Outcome, count: number, tokens: number, how: string): FidelityRow => ({
  kind,
  outcome,
  count,
  tokens,
  how,
  seqs: [[805 - count, 804]],
});

const fidelity = (): FidelityReport => ({
  rows: [
    row('thinking', 'dropped', 97, 48_100, 'Signed for Claude, unreadable elsewhere'),
    row('unknown', 'dropped', 1, 100, 'queue.checkpoint; stays in the store'),
    row('agent', 'summarised', 2, 9_600, 'Result and file list; steps stay behind'),
    row('mcp', 'converted', 7, 4_200, 'To text: Codex has no such server'),
    row('shell', 'converted', 61, 71_300, 'To exec_command with exit codes'),
    row('edit', 'converted', 38, 40_500, 'To apply_patch'),
    row('plan', 'converted', 4, 1_100, 'To update_plan'),
    row('prompt', 'kept', 18, 6_200, 'Word for word'),
    row('reply', 'kept', 118, 39_000, 'Word for word'),
    row('read', 'kept', 111, 182_000, 'Paths and output as recorded'),
    row('image', 'kept', 3, 4_800, 'Same bytes'),
  ],
  events: { total: 460, arriving: 362 },
  tokens: { total: 406_900, arriving: 358_700 },
});

const command = {
  argv: ['codex', 'resume', '019a7c1e-4f20-7d11-a0b2-5c1d2e3f4a5b'],
  cwd: '/home/dev/src/paperboat/api',
  text: 'cd /home/dev/src/paperboat/api && codex resume 019a7c1e-4f20-7d11-a0b2-5c1d2e3f4a5b',
};
const file =
  '/home/dev/.codex/sessions/2026/11/29/rollout-2026-11-29T13-55-07-019a7c1e-4f20-7d11-a0b2-5c1d2e3f4a5b.jsonl';

export function samplePlan(input: HandoffInput, title: string, tooLong: boolean): HandoffPlan {
  const mode = input.mode ?? (tooLong ? 'native-tail' : 'native');
  const used = mode === 'context' ? 38_400 : mode === 'native-tail' ? 210_000 : tooLong ? 1_900_000 : 358_000;
  return {
    session: input.session,
    from: 'claude',
    to: input.to,
    title,
    target: {
      agent: input.to,
      label: 'Codex',
      installed: true,
      version: '0.149.0',
      shape: 'paginated rollout (≥ 0.149)',
    },
    mode,
    modes: [
      {
        mode: 'native',
        tokens: tooLong ? 1_900_000 : 358_000,
        possible: !tooLong,
        ...(tooLong ? { why: '1.9M tokens, the window holds 400k' } : {}),
      },
      { mode: 'native-tail', turns: 12, tokens: 210_000, possible: true },
      { mode: 'context', tokens: 38_400, possible: true },
      { mode: 'delta', tokens: 0, possible: false, why: 'No session of Codex knows this one' },
    ],
    checks: [
      { id: 'cli', level: 'ok', text: 'Codex 0.149.0', detail: 'format verified for 0.149.0' },
      { id: 'project', level: 'ok', text: 'Project exists here', detail: '~/src/paperboat/api' },
      { id: 'git', level: 'warn', text: '2 files not committed', detail: 'refresh.ts, 0042_token_family_previous.sql' },
      { id: 'running', level: 'note', text: 'Source is still working', detail: 'snapshot ends at e821' },
      { id: 'window', level: 'ok', text: 'Fits the window', detail: `${used} of 400000 tokens, reserve included` },
    ],
    fidelity: fidelity(),
    budget: {
      model: 'gpt-5.2-codex',
      window: 400_000,
      reserve: 24_000,
      used,
      margin: 9000,
      tokenizer: 'o200k',
      parts: [
        { name: 'p0', tokens: Math.round(used * 0.09) },
        { name: 'p1', tokens: Math.round(used * 0.4) },
        { name: 'p2', tokens: Math.round(used * 0.51) },
      ],
    },
    redaction: { removed: 5, by_type: { 'github-token': 2, 'api-key': 3 } },
    files: [file],
    command,
    ready: true,
  };
}

export const SAGA: [SagaStep, string, number][] = [
  ['snapshot', 'e1 to e821, 821 events', 200],
  ['redact', '5 values in 14 places, scanned again: 0 open', 400],
  ['compile', 'not needed: the whole history fits', 0],
  ['convert', '250 kept, 110 converted, 2 summarised, 98 dropped', 900],
  ['write', '4.1 MB, mode 0600', 100],
  ['readback', '1,214 of 1,214 records equal', 700],
  ['rename', 'rollout-019a7c1e.jsonl', 3],
  ['register', 'codex session index', 20],
  ['receipt', 'number 213', 5],
];

export const sampleResult = (operation: string, input: HandoffInput): HandoffResult => ({
  operation_id: operation,
  replayed: false,
  session: input.session,
  to: input.to,
  new_session: 's17',
  native_id: '019a7c1e-4f20-7d11-a0b2-5c1d2e3f4a5b',
  files: [file],
  command,
  receipt: 'rcpt_211',
  fidelity: fidelity(),
  warnings: [],
});

const SUBJECTS = [
  'Redis for token families',
  'Rotate refresh tokens without logging people out',
  'Retry policy for webhook delivery',
  'Postgres rehearsal',
  'Cold start of the CLI',
];
const ACTIONS: Receipt['action'][] = ['handoff', 'export', 'import', 'import', 'handoff.undo'];

export const sampleReceipts = (count: number): Receipt[] =>
  Array.from({ length: count }, (_, i) => ({
    version: 1 as const,
    id: `rcpt_${count - i - 1}`,
    action: ACTIONS[i % ACTIONS.length] ?? 'handoff',
    at: new Date((now() - i * 5400) * 1000).toISOString(),
    actor: 'user',
    session_id: 's1',
    position: count - i - 1,
    previous: `sha256:${'c09d'.padEnd(60, '0')}12fe`,
    subjects: [
      { name: 'In', sha256: `${'91b0'.padEnd(60, '0')}c4d7`, bytes: 18_400_000 },
      { name: 'Out', sha256: `${'e2f7'.padEnd(60, '0')}0a35`, path: 'rollout-019a7c1e.jsonl', bytes: 4_100_000 },
    ],
    facts: { title: SUBJECTS[i % SUBJECTS.length], to: 'codex', kept: 250, converted: 110, summarised: 2, dropped: 98 },
    key_id: 'ed25519:4f8a1c77b2d95e0371c2',
    signature: 'c2lnbmF0dXJl',
  }));
