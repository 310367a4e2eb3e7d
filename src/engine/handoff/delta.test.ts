import { appendFile, readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFixture } from '../../../fixtures/load.ts';
import { checkReport } from '../../core/fidelity/report.ts';
import type { AgentId } from '../../shared/agents.ts';
import { unwrap } from '../../shared/errors.ts';
import type { HandoffInput, HandoffPlan, HandoffResult } from '../../shared/handoff.ts';
import { type Lab, makeLab } from './testing.ts';
import { goOn, NEXT } from './testing-go-on.ts';

let lab: Lab;
beforeEach(async () => {
  lab = await makeLab();
});
afterEach(() => lab.close());

const input = (more: Partial<HandoffInput> = {}): HandoffInput => ({
  session: lab.session.id,
  to: 'codex',
  cwd: lab.project,
  ...more,
});
const plan = async (more: Partial<HandoffInput> = {}): Promise<HandoffPlan> =>
  unwrap(await lab.engine.call('handoff.preflight', input(more)));
const run = async (operation_id: string, more: Partial<HandoffInput> = {}): Promise<HandoffResult> =>
  unwrap(await lab.engine.call('handoff.execute', { ...input(more), operation_id }));
const delta = ({ modes }: HandoffPlan) => modes.find(({ mode }) => mode === 'delta');
const rowOf = async (id: string) => unwrap(await lab.engine.call('sessions.get', { id }));

/** The person and the model say one thing more in a session, natively. */
async function continued(id: string): Promise<void> {
  const row = await rowOf(id);
  goOn(row.agent as AgentId, row.source!, row.native_id);
  unwrap(await lab.engine.local.import({ path: row.source! }));
}

/** A prompt of the person below the message `parent` of the Claude session; without one below the last message. */
async function saidInClaude(text: string, parent?: string): Promise<void> {
  const source = lab.session.source!;
  const parentUuid = parent ?? (await lastMessage());
  // newer than all that the fixtures hold: Claude Code goes on with what is newest
  const timestamp = new Date(Math.max(Date.now(), Date.UTC(2027, 0)) + 60_000).toISOString();
  const message = { role: 'user', content: text };
  const common = { isSidechain: false, sessionId: lab.session.native_id, timestamp, version: '2.1.332' };
  const uuid = `u-${text.length}`;
  const records = [
    { type: 'user', uuid, parentUuid, ...common, message },
    { type: 'last-prompt', lastPrompt: text, leafUuid: uuid, sessionId: lab.session.native_id },
  ];
  await appendFile(source, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  unwrap(await lab.engine.local.import({ path: source }));
}

async function lines(): Promise<{ type: string; uuid?: string }[]> {
  const text = (await readFile(lab.session.source!, 'utf8')).trim();
  return text.split('\n').map((line) => JSON.parse(line) as { type: string; uuid?: string });
}

const lastMessage = async () => (await lines()).findLast(({ uuid }) => uuid !== undefined)?.uuid;
const firstAnswer = async () => (await lines()).find(({ type }) => type === 'assistant')?.uuid;

/** The text of all prompts of a session, as the log has them. */
async function promptsOf(id: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const events of unwrap(await lab.engine.local.events(id)).events)
    for (const { type, payload } of events)
      if (type === 'message.user')
        texts.push((payload.content as { text?: string }[]).map(({ text }) => text).join(''));
  return texts;
}

describe('what a target knows already', () => {
  it('is nothing without a handoff of ours, however alike two sessions are', async () => {
    const first = await plan({ mode: 'delta' });
    expect(delta(first)).toMatchObject({ possible: false, why: expect.stringContaining('No session of Codex knows') });
    expect(first).toMatchObject({ ready: false, refused: { code: 'invalid_request' } });
  });

  it('is all of it right after a handoff: then there is nothing to tell', async () => {
    await run('op-1');
    expect(delta(await plan())).toMatchObject({ possible: false, why: expect.stringContaining('Nothing is new') });
  });

  it('is not told again: what has come since goes to a copy of the session that knows', async () => {
    const first = await run('op-1');
    await continued(lab.session.id);
    const known = await rowOf(first.new_session);
    const before = await readFile(first.files[0]!, 'utf8');
    const made = await plan({ mode: 'delta' });
    expect(made).toMatchObject({ ready: true, mode: 'delta', title: lab.session.title });
    expect(delta(made)).toMatchObject({
      possible: true,
      since: { session: first.new_session, native_id: first.native_id, own_turns: 0 },
    });
    checkReport(made.fidelity);
    expect(made.fidelity.rows.find(({ kind, outcome }) => kind === 'prompt' && outcome === 'summarised')?.count).toBe(
      1,
    );
    const whole = (await plan()).fidelity.rows.find(({ kind }) => kind === 'prompt')!.count;
    expect(made.fidelity.rows.find(({ kind, outcome }) => kind === 'prompt' && outcome === 'kept')?.count).toBe(
      whole - 1,
    );
    expect(made.checks.find(({ id }) => id === 'since')?.text).toContain(first.native_id);

    const second = await run('op-2', { mode: 'delta', note: 'Mind the tests.' });
    expect(await readFile(first.files[0]!, 'utf8')).toBe(before);
    expect(second.new_session).not.toBe(first.new_session);
    const prompts = await promptsOf(second.new_session);
    expect(prompts.slice(0, known.counts.user)).toEqual(await promptsOf(first.new_session));
    const [page, note] = prompts.slice(known.counts.user);
    expect(page).toContain('What is new from Claude Code');
    expect(page).toContain(first.native_id);
    expect(page).toContain(NEXT.prompt);
    expect(page).toContain(NEXT.answer);
    expect(page).not.toContain(lab.session.first_prompt!.slice(0, 40));
    expect(note).toBe('Mind the tests.');
    const receipt = unwrap(await lab.engine.call('receipts.get', { id: second.receipt }));
    expect(receipt.facts).toMatchObject({ mode: 'delta', since: { session: first.new_session } });
    expect(receipt.subjects.map(({ name }) => name)).toEqual(['source', 'written', 'compiled']);
    const row = await rowOf(second.new_session);
    expect(row).toMatchObject({ agent: 'codex', parent: lab.session.id, parent_kind: 'handoff' });
    // the next delta goes on with the newer of the two, which holds the other
    await saidInClaude('And one thing more.');
    expect(delta(await plan())).toMatchObject({ possible: true, since: { session: second.new_session } });
    expect(unwrap(await lab.engine.local.verifyStore()).ok).toBe(true);
  });

  it('goes back to the session that it came from', async () => {
    const first = await run('op-1', { to: 'codex' });
    await continued(first.new_session);
    const made = await plan({ session: first.new_session, to: 'claude', mode: 'delta' });
    expect(delta(made)).toMatchObject({ possible: true, since: { session: lab.session.id, own_turns: 0 } });
    const back = await run('op-2', { session: first.new_session, to: 'claude', mode: 'delta' });
    const prompts = await promptsOf(back.new_session);
    expect(prompts.at(-1)).toContain('What is new from Codex');
    expect(prompts.at(-1)).toContain(NEXT.prompt);
    expect((await rowOf(back.new_session)).usage.output).toBe(0);
    // and there again: what both have said since the first handoff is known to both
    await continued(back.new_session);
    expect(delta(await plan({ session: back.new_session, to: 'codex' }))).toMatchObject({
      possible: true,
      since: { session: first.new_session },
    });
  });

  it('does not hide turns that the other session has taken by itself', async () => {
    const first = await run('op-1');
    await continued(lab.session.id);
    await continued(first.new_session);
    const made = await plan({ mode: 'delta' });
    expect(delta(made)).toMatchObject({ since: { own_turns: 1 } });
    expect(made.checks.find(({ id }) => id === 'since')?.detail).toContain('1 turn that this session does not know');
    const second = await run('op-2', { mode: 'delta' });
    const prompts = await promptsOf(second.new_session);
    expect(prompts.at(-2)).toBe(NEXT.prompt);
    expect(prompts.at(-1)).toContain('has gone on by itself meanwhile (1 turn)');
    // the source has never seen that turn: the new session is not taken for known to it
    await continued(second.new_session);
    expect(delta(await plan({ session: second.new_session, to: 'claude' }))).toMatchObject({ possible: false });
  });

  it('is taken back on the page where the session went back behind it', async () => {
    await lab.close();
    lab = await makeLab(['multi-turn']);
    await run('op-1');
    await saidInClaude('No, begin anew in another way.', await firstAnswer());
    const made = await plan({ mode: 'delta' });
    expect(made.checks.find(({ id }) => id === 'since')?.detail).toContain('taken back here');
    const prompts = await promptsOf((await run('op-2', { mode: 'delta' })).new_session);
    expect(prompts.at(-1)).toContain('No, begin anew in another way.');
    expect(prompts.at(-1)).toContain('taken back since:');
  });

  it('is not guessed where several sessions know it: the user names one', async () => {
    const [first, second] = [await run('op-1'), await run('op-2')];
    await continued(lab.session.id);
    const both = await plan({ mode: 'delta' });
    expect(both).toMatchObject({ ready: false, refused: { code: 'selection_required' } });
    expect(delta(both)?.why).toContain(first.new_session);
    const named = await plan({ mode: 'delta', since: second.native_id });
    expect(delta(named)).toMatchObject({ possible: true, since: { session: second.new_session } });
    expect(delta(await plan({ since: lab.session.id }))).toMatchObject({ possible: false });
  });

  it('is nothing after the handoff was taken back', async () => {
    await run('op-1');
    unwrap(await lab.engine.call('handoff.undo', { operation_id: 'op-1' }));
    await continued(lab.session.id);
    expect(delta(await plan())).toMatchObject({ possible: false, why: expect.stringContaining('No session') });
  });

  it('can be taken back itself, and run again under its id', async () => {
    await run('op-1');
    await continued(lab.session.id);
    const made = await run('op-2', { mode: 'delta' });
    expect(await run('op-2', { mode: 'delta' })).toMatchObject({ replayed: true, new_session: made.new_session });
    expect(unwrap(await lab.engine.call('handoff.undo', { operation_id: 'op-2' })).removed).toEqual(made.files);
    expect(delta(await plan())).toMatchObject({ possible: true });
  });

  it.each([
    ['claude', undefined],
    ['pi', undefined],
    ['hermes', 'simple-qa'],
    ['opencode', '01-simple-qa'],
    ['gemini', undefined],
  ] as const)('is worked out for every agent that can receive: %s', async (to, home) => {
    if (home !== undefined) await loadFixture(to, home, lab.home);
    await run('op-1', { to });
    await continued(lab.session.id);
    const made = await run('op-2', { to, mode: 'delta' });
    const prompts = await promptsOf(made.new_session);
    expect(prompts.at(-1)).toContain(NEXT.answer);
    expect(prompts.length).toBeGreaterThan(1);
  });
});
