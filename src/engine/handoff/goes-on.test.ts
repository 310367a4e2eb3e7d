import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFixture } from '../../../fixtures/load.ts';
import type { AgentId } from '../../shared/agents.ts';
import { unwrap } from '../../shared/errors.ts';
import { NO_USAGE } from '../../shared/session.ts';
import { type Lab, makeLab } from './testing.ts';
import { goOn, NEXT } from './testing-go-on.ts';

let lab: Lab;
beforeEach(async () => {
  lab = await makeLab();
});
afterEach(() => lab.close());

const TARGETS = ['claude', 'codex', 'pi', 'hermes', 'opencode', 'gemini'] as const;
/** A home of the target that its agent made, where it writes into a database that is there. */
const HOMES: Partial<Record<AgentId, string>> = { hermes: 'simple-qa', opencode: '01-simple-qa' };

describe('a session that was handed over and goes on natively', () => {
  it.each(TARGETS)('is the child of its source, with its own usage alone: %s', async (to) => {
    const { engine, session } = lab;
    if (HOMES[to] !== undefined) await loadFixture(to, HOMES[to], lab.home);
    const done = unwrap(
      await engine.call('handoff.execute', { session: session.id, to, cwd: lab.project, operation_id: 'op-1' }),
    );
    const before = unwrap(await engine.call('sessions.get', { id: done.new_session }));
    goOn(to, before.source!, done.native_id);
    unwrap(await engine.call('sources.set', { agent: to, enabled: true }));
    unwrap(await engine.local.import({ agent: to }));
    const after = unwrap(await engine.call('sessions.get', { id: done.native_id }));
    expect(after).toMatchObject({
      id: done.new_session,
      agent: to,
      parent: session.id,
      parent_kind: 'handoff',
      last_prompt: NEXT.prompt,
      counts: { user: before.counts.user + 1, assistant: before.counts.assistant + 1 },
      usage: { input: NEXT.input, output: NEXT.output, cache_read: 0, cache_write: 0 },
    });
    const source = unwrap(await engine.call('sessions.get', { id: session.id }));
    expect(source).toMatchObject({ children: [done.new_session], kin: { handoff: 1 }, usage: session.usage });
    const family = unwrap(await engine.call('sessions.lineage', { id: done.new_session }));
    expect(family.map(({ id }) => id)).toEqual([session.id, done.new_session]);
    const log = unwrap(await engine.local.events(done.new_session));
    const forks: unknown[] = [];
    for await (const events of log.events) forks.push(...events.filter(({ type }) => type === 'session.fork'));
    expect(forks).toHaveLength(1);
    const { rows } = unwrap(await engine.call('sessions.list', { agent: to, subagents: true, empty: true }));
    expect(rows.filter(({ native_id }) => native_id === done.native_id)).toHaveLength(1);
  });

  it.each([
    ['codex', 'b-shell'],
    ['pi', '01-simple-qa'],
    ['hermes', 'simple-qa'],
    ['opencode', '01-simple-qa'],
    ['gemini', 'simple-qa'],
  ] as const)('has nothing of what its source used when that is of the same agent: %s', async (agent, fixture) => {
    const { engine } = lab;
    await loadFixture(agent, fixture, lab.home);
    unwrap(await engine.call('sources.set', { agent, enabled: true }));
    unwrap(await engine.local.import({ agent }));
    const [source] = unwrap(await engine.call('sessions.list', { agent })).rows;
    expect(source!.usage.output).toBeGreaterThan(0);
    const done = unwrap(
      await engine.call('handoff.execute', { session: source!.id, to: agent, cwd: lab.project, operation_id: 'op-1' }),
    );
    const before = unwrap(await engine.call('sessions.get', { id: done.new_session }));
    const { user, assistant, tool_call } = source!.counts;
    expect(before).toMatchObject({ counts: { user, assistant, tool_call }, usage: NO_USAGE });
    expect(before.copied).toBeGreaterThan(0);
    goOn(agent, before.source!, done.native_id);
    unwrap(await engine.local.import({ agent }));
    const after = unwrap(await engine.call('sessions.get', { id: done.new_session }));
    expect(after).toMatchObject({ parent: source!.id, last_prompt: NEXT.prompt });
    // Hermes counts by session: it goes on counting where the copy stood, and changes the session's row
    if (agent === 'hermes') return;
    // Gemini CLI goes on with a document in a file of lines beside it, which tells the copies once more
    if (agent === 'gemini') expect(after.copied).toBeGreaterThan(before.copied);
    else expect(after.copied).toBe(before.copied);
    expect(after.usage).toMatchObject({ input: NEXT.input, output: NEXT.output });
  });
});
