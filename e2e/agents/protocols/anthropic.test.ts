import { describe, expect, it } from 'vitest';
import { listFixtureAgents, listFixtures, readFixtureFile } from '../../../fixtures/load.ts';
import { type Fact, type FactKind, factsOf } from '../facts.ts';
import { anthropicItems } from './anthropic.ts';

/** What Claude Code itself sent when it resumed the session of a fixture. */
async function recorded(agent: string, scenario: string, id: string): Promise<unknown> {
  const bytes = await readFixtureFile(agent, scenario, `resume.${id}.json`);
  if (bytes === undefined) throw new Error(`no recorded request of ${agent}/${scenario}`);
  return JSON.parse(bytes.toString('utf8'));
}

async function factsIn(agent: string, scenario: string, id: string): Promise<Fact[]> {
  return factsOf(anthropicItems(await recorded(agent, scenario, id))).facts;
}

const ofKind = (facts: readonly Fact[], kind: FactKind): string[] =>
  facts.filter((fact) => fact.kind === kind).map((fact) => fact.text);

describe('a request of Claude Code', () => {
  it('gives prompt and answer and leaves the notes of the harness out', async () => {
    const body = await recorded('claude', 'simple-qa', '78a12fbd-ff8d-40c9-9314-22d0bd3e702d');
    const { facts, harness } = factsOf(anthropicItems(body));
    expect(facts.map((fact) => fact.kind)).toEqual(['prompt', 'reply', 'prompt']);
    expect(facts[0]?.text).toBe('What is the difference between `??` and `||` for the defaults in src/config.ts?');
    expect(facts[2]?.text).toBe('continue');
    expect(harness.join('\n')).toContain('gitStatus');
  });

  it('gives every call with its result and its error flag', async () => {
    const facts = await factsIn('claude', 'tools', '9ed90ef0-3d15-4905-88dd-6aaed917544d');
    expect(ofKind(facts, 'call')).toHaveLength(19);
    expect(ofKind(facts, 'result')).toHaveLength(19);
    expect(ofKind(facts, 'failure').length).toBeGreaterThan(3);
    const calls = facts.filter((fact) => fact.kind === 'call').map((fact) => fact.call);
    const results = facts.filter((fact) => fact.kind === 'result').map((fact) => fact.call);
    expect(results).toEqual(calls);
  });

  it('puts the results of parallel calls in the order of the calls', async () => {
    const facts = await factsIn('claude', 'parallel', 'f15fdcb6-2e18-4881-8638-e8f34dda368a');
    expect(facts.slice(1, 9).map((fact) => fact.kind)).toEqual([
      'reply',
      'call',
      'call',
      'call',
      'result',
      'result',
      'result',
      'failure',
    ]);
    expect(facts[5]?.call).toBe(facts[2]?.call);
    expect(facts[7]?.call).toBe(facts[4]?.call);
  });

  it('gives pictures of prompts and of results by their bytes', async () => {
    const inPrompt = await factsIn('claude', 'image', '2eb53fff-0db2-4f68-841f-f91e09247bea');
    const inResult = await factsIn('claude', 'mcp', 'cebaad82-1db8-47bc-8d7f-f04f7408595c');
    expect(ofKind(inPrompt, 'image')).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(ofKind(inResult, 'image')).toHaveLength(1);
    expect(ofKind(inPrompt, 'prompt')).toEqual(['What does this chart screenshot show?', 'continue']);
  });

  it('finds attached files, shell commands of the user and their output', async () => {
    const facts = await factsIn('claude', 'tui-misc', '6ac35538-4543-4212-8981-b11ba7f865cf');
    const [attached] = facts;
    expect(attached).toMatchObject({
      kind: 'attachment',
      path: expect.stringMatching(/README\.md$/),
      text: '# invoice',
    });
    expect(ofKind(facts, 'shell')).toEqual([
      '<bash-input>git log --oneline</bash-input>',
      expect.stringContaining('<bash-stdout>ce3877e rules'),
    ]);
    expect(facts.map((fact) => fact.text)).not.toContain('No response requested.');
    expect(facts.some((fact) => fact.text.includes('command-name'))).toBe(false);
  });

  it('keeps summary and preserved messages of a compaction, and the file read again after it', async () => {
    const facts = await factsIn('claude', 'compact', 'cc5884a9-4698-4165-8376-42a020f58713');
    expect(facts[0]?.text).toMatch(/^This session is being continued from a previous conversation/);
    expect(facts[0]?.text).not.toContain('system-reminder');
    expect(facts[1]?.kind).toBe('reply');
    const [attached] = facts.filter((fact) => fact.kind === 'attachment');
    expect(attached?.text).toMatch(/^import configparser\n/);
    const older = await factsIn('claude-2.1.197', 'compact', 'be7b81eb-eb85-4591-bdad-8e30aeb5c78c');
    expect(ofKind(older, 'attachment')).toEqual([attached?.text]);
  });

  it('finds the report of a background agent and the marks of interruptions', async () => {
    const background = await factsIn('claude', 'subagent-parallel-bg', '3c21d7bf-d4d4-4928-9714-122679074abd');
    expect(ofKind(background, 'notification')).toEqual([expect.stringContaining('<result>The backoff is')]);
    const interrupted = await factsIn('claude', 'interrupted', '9b058039-f52f-4291-89e8-d16cdd0df6ab');
    expect(ofKind(interrupted, 'interruption')).toHaveLength(2);
  });

  it('gives a prompt typed during a turn without the note around it', () => {
    const frame = (after: string): unknown => ({
      messages: [
        {
          role: 'user',
          content: `The user sent a new message while you were working:\nAlso the docs, please.\n\n${after}`,
        },
      ],
    });
    const prompt = { kind: 'text', role: 'user', text: 'Also the docs, please.' };
    expect(anthropicItems(frame('This is how Claude Code surfaces messages the user sends mid-turn.'))).toEqual([
      prompt,
    ]);
    expect(anthropicItems(frame('IMPORTANT: After completing your current task, address it.'))).toEqual([prompt]);
  });

  it('is stored for every session of every fixture', async () => {
    for (const agent of await listFixtureAgents('claude')) {
      for (const scenario of await listFixtures(agent)) {
        const oracle = await readFixtureFile(agent, scenario, 'sdk-oracle.json');
        const { sessions } = JSON.parse(String(oracle)) as { sessions: { sessionId: string; messages: unknown[] }[] };
        for (const { sessionId } of sessions.filter((session) => session.messages.length > 0)) {
          const facts = await factsIn(agent, scenario, sessionId);
          expect(facts.length, `${agent}/${scenario}`).toBeGreaterThan(1);
        }
      }
    }
  });
});
