import type { AppInfo, SourceInfo } from '../../shared/api.ts';
import type { SessionRow } from '../../shared/session.ts';

/** Made-up sessions for development and component tests. The first ones are those of the drawn views. */

const HOME = '/home/dev';
export const now = (): number => Date.now() / 1000;
const ago = (hours: number): number => now() - hours * 3600;

type Sketch = [
  agent: string,
  title: string,
  project: string,
  branch: string,
  hours: number,
  tokens: number,
  more?: Partial<SessionRow>,
];

const SKETCHES: Sketch[] = [
  [
    'claude',
    'Rotate refresh tokens without logging people out',
    'api',
    'auth-rotation',
    0.02,
    4_200_000,
    {
      status: 'working',
      branches: 3,
      children: ['s17', 's18', 's19'],
      context_tokens: 97_000,
      redactions: 5,
      unknown_records: 1,
    },
  ],
  ['codex', 'Retry policy for webhook delivery', 'api', 'webhooks-v2', 0.3, 812_000],
  ['claude', '修复时区换算导致的重复账单', 'billing', 'main', 0.6, 1_100_000, { redactions: 3, children: ['x1'] }],
  ['claude', 'Flaky upload test on Windows runners', 'api', 'main', 1.1, 390_000],
  ['codex', 'Keyboard navigation for the invoice list', 'web', 'invoice-list-a11y', 1.4, 2_600_000],
  [
    'claude',
    'Why does the mailer send the receipt twice?',
    'mailer',
    'main',
    1.9,
    148_000,
    {
      status: 'ended_mid_tool',
      warnings: [
        {
          about: 'torn-line',
          detail: 'The last line ends in the middle and waits for its rest',
          file: `${HOME}/.claude/projects/-home-dev-src-mailer/5b1e.jsonl`,
          line: 211,
        },
      ],
    },
  ],
  [
    'codex',
    'Rehearse the Postgres 16 to 17 upgrade',
    'infra',
    'pg17-rehearsal',
    26,
    3_000_000,
    { children: ['x2', 'x3', 'x4', 'x5'] },
  ],
  ['claude', 'Cold start of the CLI under 200 ms', 'kestrel', 'main', 27, 96_000],
  ['claude', 'Rewrite the quick start', 'docs', 'quick-start', 29, 61_000],
  ['claude', 'Audit log: who changed the tax rate', 'billing', 'audit-log', 31, 720_000],
  [
    'codex',
    'Trace every query of the nightly invoice run',
    'billing',
    'main',
    74,
    9_800_000,
    { bytes: 1_200_000_000, branches: 2 },
  ],
  ['codex', 'Replace the date picker', 'web', 'date-picker', 75, 510_000],
  ['claude', 'Support inbox triage, October', 'ops', 'main', 99, 2_200_000],
  ['claude', 'Two tries at the PDF layout', 'web', 'pdf-layout', 101, 330_000, { branches: 2 }],
];
const KIN: Sketch[] = [
  [
    'codex',
    'Redis for token families',
    'api',
    'auth-rotation',
    0.1,
    220_000,
    { id: 's17', parent: 's1', parent_kind: 'handoff' },
  ],
  [
    'claude',
    'No grace window',
    'api',
    'auth-rotation',
    0.2,
    90_000,
    { id: 's18', parent: 's1', parent_kind: 'fork', status: 'ended_mid_tool' },
  ],
  [
    'claude',
    'List callers that store a refresh token',
    'api',
    'auth-rotation',
    0.12,
    88_000,
    { id: 's19', parent: 's1', parent_kind: 'subagent' },
  ],
];

function sessionOf([agent, title, project, branch, hours, tokens, more]: Sketch, id: string): SessionRow {
  const cwd = `${HOME}/src/paperboat/${project}`;
  return {
    id,
    agent,
    native_id: `${id.padStart(8, '0')}-5f1c-4d6a-9b1e-2f60c3a7d410`,
    source: `${HOME}/.claude/projects/-home-dev-src-paperboat-${project}/${id}.jsonl`,
    title,
    title_from: 'agent',
    first_prompt: title,
    last_prompt: title,
    cwd,
    cwd_last: cwd,
    git_branch: branch,
    model: agent === 'claude' ? 'claude-opus-4-6' : 'gpt-5.2-codex',
    agent_version: agent === 'claude' ? '2.1.88' : '0.149.0',
    started_at: ago(hours + 4),
    last_activity: ago(hours),
    counts: { user: 18, assistant: 118, tool_call: 221, tool_result: 221, thinking: 97, image: 3, compaction: 1 },
    usage: {
      input: Math.round(tokens * 0.06),
      output: Math.round(tokens * 0.05),
      cache_read: Math.round(tokens * 0.81),
      cache_write: Math.round(tokens * 0.08),
      reasoning: Math.round(tokens * 0.02),
    },
    context_tokens: Math.min(160_000, Math.round(tokens / 20)),
    events: 821,
    copied: 0,
    bytes: tokens * 4,
    parent: null,
    parent_kind: null,
    children: [],
    kin: {},
    branches: 1,
    errors: 6,
    redactions: 0,
    unknown_records: 0,
    warnings: [],
    archived: false,
    status: 'idle',
    ...more,
  };
}

const WORDS = [
  'Cache',
  'Index',
  'Login',
  'Export',
  'Import',
  'Invoice',
  'Search',
  'Layout',
  'Upload',
  'Report',
  'Worker',
  'Queue',
];
const DEEDS = [
  'fails on empty input',
  'is slow with 10,000 rows',
  'needs a test',
  'leaks a handle',
  'should say why',
  'in the new design',
];

/** `count` sessions in all, newest first; those of the drawn views lead. */
export function sampleSessions(count: number): SessionRow[] {
  const drawn = SKETCHES.map((sketch, i) => sessionOf(sketch, `s${i + 1}`));
  const made = Array.from({ length: Math.max(0, count - drawn.length) }, (_, i) => {
    const title = `${WORDS[i % WORDS.length]} ${DEEDS[i % DEEDS.length]} (${i + 1})`;
    const project = ['api', 'web', 'billing', 'docs'][i % 4] ?? 'api';
    return sessionOf(
      [i % 3 ? 'claude' : 'codex', title, project, 'main', 110 + i * 6, 20_000 + ((i * 7919) % 900_000)],
      `g${i + 1}`,
    );
  });
  return [...drawn, ...made].slice(0, count);
}

export const sampleKin = (): SessionRow[] => KIN.map((sketch) => sessionOf(sketch, sketch[6]?.id ?? 'k'));

const noCli = 'No CLI found on this machine';
export const sampleInfo = (sessions: number, initialised: boolean): AppInfo => ({
  version: '0.1.0',
  host: 'web',
  platform: 'linux',
  home: `${HOME}/.sessionctl`,
  sample: true,
  initialised,
  keys: { kind: 'keychain', weaker: false, text: 'Key ed25519 4f8a…71c2, in the system keychain' },
  sessions,
  events: sessions * 400,
  store_bytes: 412_000_000,
  watching: true,
  agents: [
    {
      id: 'claude',
      label: 'Claude Code',
      installed: true,
      version: '2.1.88',
      can_receive: false,
      why_not: 'Writing Claude Code sessions comes later',
      verified: [],
    },
    { id: 'codex', label: 'Codex', installed: true, version: '0.149.0', can_receive: true, verified: ['0.149.0'] },
    {
      id: 'gemini',
      label: 'Gemini CLI',
      installed: false,
      version: null,
      can_receive: false,
      why_not: noCli,
      verified: [],
    },
  ],
});

export const sampleSources = (): SourceInfo[] => [
  {
    agent: 'claude',
    label: 'Claude Code',
    root: `${HOME}/.claude/projects`,
    exists: true,
    enabled: false,
    sessions: 412,
    bytes: 1_900_000_000,
    warnings: [{ about: 'retention', detail: 'Deletes after 30 days' }],
  },
  {
    agent: 'codex',
    label: 'Codex',
    root: `${HOME}/.codex/sessions`,
    exists: true,
    enabled: false,
    sessions: 1204,
    bytes: 9_200_000_000,
    warnings: [],
  },
  {
    agent: 'pi',
    label: 'Pi',
    root: `${HOME}/.pi/agent/sessions`,
    exists: true,
    enabled: false,
    sessions: 0,
    bytes: 0,
    warnings: [],
  },
  {
    agent: 'hermes',
    label: 'Hermes',
    root: `${HOME}/.hermes/state.db`,
    exists: false,
    enabled: false,
    sessions: 0,
    bytes: 0,
    warnings: [],
  },
];
