import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_LABELS, AGENTS } from '../shared/agents.ts';
import { NO_USAGE, type SessionRow } from '../shared/session.ts';
import type { TranscriptRow } from '../shared/transcript.ts';
import { layEveryAgent } from './testing/every-agent.ts';
import { figuresKey, ownFigures, sum } from './testing/own-figures.ts';
import { type CliLab, cliLab } from './testing.ts';

let lab: CliLab;
let rows: SessionRow[];
let welcome: string;
beforeAll(async () => {
  lab = await cliLab();
  await layEveryAgent(lab.home);
  welcome = (await lab.run('init', '--key-file')).stdout;
  await lab.run('sources', 'enable', ...AGENTS);
  await lab.run('import');
  rows = (await lab.run('list', '--all', '--no-scan', '--json')).json.value.rows;
}, 120_000);
afterAll(() => lab.close());

const of = (agent: string, kind: SessionRow['parent_kind']): SessionRow[] =>
  rows.filter((row) => row.agent === agent && row.parent_kind === kind);
const parentOf = (row: SessionRow): SessionRow | undefined => rows.find(({ id }) => id === row.parent);

/** Children of each kind in the fixtures, as the agents made them. */
const KIN = {
  claude: { fork: 4, subagent: 11 },
  codex: { fork: 2, subagent: 2 },
  pi: { fork: 3 },
  hermes: { fork: 2, subagent: 2, continuation: 11, reset: 1 },
  opencode: { fork: 1, subagent: 1 },
  gemini: { subagent: 1 },
  cursor: {},
  aider: {},
} as const;

describe('every session of every agent, in one store', () => {
  it('is found at the first start, where each agent stands once', () => {
    const found = /^Found: (.*)$/m.exec(welcome)![1]!.split(', ');
    expect(found.map((one) => one.replace(/ \([^()]*\)$/, ''))).toEqual(AGENTS.map((id) => AGENT_LABELS[id]));
  });

  it('is in the sources and in the list', async () => {
    const sources = (await lab.run('sources', 'list', '--json')).json.value as { agent: string; enabled: boolean }[];
    expect(new Set(sources.filter(({ enabled }) => enabled).map(({ agent }) => agent))).toEqual(new Set(AGENTS));
    expect(new Set(rows.map(({ agent }) => agent))).toEqual(new Set(AGENTS));
  });

  it.each(AGENTS)('of %s hangs below the session that it came from', (agent) => {
    const found: Record<string, number> = {};
    for (const row of rows.filter((one) => one.agent === agent && one.parent_kind !== null)) {
      found[row.parent_kind!] = (found[row.parent_kind!] ?? 0) + 1;
      expect(parentOf(row)?.children).toContain(row.id);
      expect(parentOf(row)?.agent).toBe(agent);
    }
    expect(found).toEqual(KIN[agent]);
  });

  it('is drawn below that one in the list, sub-agents too when they are asked for', async () => {
    const all = (await lab.run('list', '--all', '--no-scan', '--limit', '1000')).stdout.split('\n');
    const at = (row: SessionRow): number => all.findIndex((line) => line.startsWith(row.id.slice(0, 13)));
    const depth = (row: SessionRow): number => /(?: {3})*(?=└─ )/.exec(all[at(row)]!)![0].length / 3;
    for (const row of rows.filter(({ parent }) => parent !== null)) {
      const parent = parentOf(row)!;
      expect(at(row)).toBeGreaterThan(at(parent));
      expect(all[at(row)]).toContain('└─ ');
      if (parent.parent !== null) expect(depth(row)).toBe(depth(parent) + 1);
    }
    const main = (await lab.run('list', '--no-scan', '--limit', '1000')).stdout;
    expect(main).toContain('(+ 1 sub-agent)');
    expect(main).not.toContain('└─ sub-agent');
    expect(main).toContain('└─ fork: ');
  });

  it('used what its agent says that it used, what was copied counted once', () => {
    const figures = ownFigures(lab.home);
    const ours = Map.groupBy(rows, figuresKey);
    const used = [...figures].filter(([, { input, output }]) => input + output > 0);
    expect(used.length).toBeGreaterThan(140);
    for (const [key, usage] of figures)
      expect({ key, usage: sum((ours.get(key) ?? []).map((row) => row.usage)) }).toEqual({ key, usage });
    const others = rows.filter((row) => !figures.has(figuresKey(row)));
    expect(sum(others.map((row) => row.usage))).toEqual(NO_USAGE);
  });

  it.each([
    ['claude', 4],
    ['codex', 2],
    ['pi', 3],
    ['hermes', 2],
    ['opencode', 1],
  ] as const)('that forked another one of %s says what it copied', async (agent, n) => {
    const forks = of(agent, 'fork');
    expect(forks).toHaveLength(n);
    for (const fork of forks) {
      expect(fork.copied).toBeGreaterThan(0);
      const shown = (await lab.run('show', fork.id, '--json')).json.value.rows as TranscriptRow[];
      const copied = shown.filter((row) => row.copied);
      expect(copied.some(({ kind }) => kind === 'prompt')).toBe(true);
      expect(shown.some((row) => row.kind === 'rule' && row.rule === 'fork' && !row.copied)).toBe(true);
      const text = (await lab.run('show', fork.id)).stdout;
      expect(text).toContain(`${fork.parent} (fork)`);
      const goesOn = shown.some((row) => row.kind === 'prompt' && !row.copied);
      expect(text.includes('copied up to here')).toBe(goesOn);
    }
    for (const row of rows.filter((one) => one.agent === agent && one.parent === null)) expect(row.copied).toBe(0);
  });

  it('that goes on over several sessions is shown as one, what they repeat once', async () => {
    const [first] = of('hermes', 'continuation').filter((row) => row.kin.continuation && row.copied > 0);
    const shown = (await lab.run('show', first!.id, '--json')).json.value as {
      lineage: string[];
      rows: TranscriptRow[];
    };
    expect(shown.lineage).toHaveLength(3);
    expect(shown.rows.some((row) => row.copied)).toBe(false);
    const prompts = shown.rows.flatMap((row) => (row.kind === 'prompt' ? [JSON.stringify(row.content)] : []));
    expect(prompts.filter((text) => text.includes('Question 1: tell me one'))).toHaveLength(1);
  });

  it.each(AGENTS)('of %s can be shown and planned to be handed over', async (agent) => {
    const row = rows.find((one) => one.agent === agent && one.counts.user > 0 && one.counts.assistant > 0)!;
    const shown = await lab.run('show', row.id);
    expect([shown.code, shown.stdout.includes(row.id)]).toEqual([0, true]);
    const to = agent === 'codex' ? 'claude' : 'codex';
    const plan = await lab.run('handoff', row.id, '--to', to, '--dry-run', '--json', '--cwd', lab.home);
    expect([plan.code, plan.json.ok]).toEqual([0, true]);
    expect(plan.json.value.to).toBe(to);
  });
});
