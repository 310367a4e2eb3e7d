import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/shared/errors.ts';
import type { AgentEnv, MaterializeOptions, Written } from '../../contract.ts';
import { PNG, TestSession } from '../../testing/session.ts';
import { itemsOf, type Line, linesOf, THREAD, tempHome, writeOptions } from '../testing/home.ts';
import { writeRollout } from './write.ts';

let home: ReturnType<typeof tempHome>;
let env: AgentEnv;
beforeEach(() => {
  home = tempHome();
  env = home.env;
});
afterEach(() => home.dispose());

async function write(session: TestSession, more: Partial<MaterializeOptions> = {}): Promise<Written> {
  return unwrap(await writeRollout(session.source(), writeOptions(env, more)));
}

async function committed(session: TestSession, more: Partial<MaterializeOptions> = {}): Promise<string> {
  const written = await write(session, more);
  unwrap(await written.commit());
  return written.final;
}

function talk(): TestSession {
  const session = new TestSession();
  session.user('List the files.');
  session.reply('r1', 'I list them.');
  session.call('r1', 'toolu_1', { arguments: { command: 'ls', description: 'list' } });
  session.result('toolu_1', 'a\nb');
  session.reply('r2', 'Two files.');
  session.user('Thanks.');
  return session;
}

const events = (lines: Line[], type: string): Record<string, unknown>[] =>
  lines.map(({ payload }) => payload).filter((payload) => payload.type === type);
const shown = (lines: Line[], type: string): Record<string, unknown>[] =>
  events(lines, 'item_completed').flatMap(({ item }) =>
    (item as { type: string }).type === type ? [item as Record<string, unknown>] : [],
  );

describe('the written file', () => {
  it('lies where Codex would put it, private, with the time of the handoff and no temporary file beside it', async () => {
    const path = await committed(talk());
    expect(path).toMatch(new RegExp(`\\.codex/sessions/\\d{4}/\\d\\d/\\d\\d/rollout-[\\dT-]+-${THREAD}\\.jsonl$`));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(path).mtimeMs).toBe(1_795_960_000_000);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(path))).toHaveLength(1);
  });

  it('is seen by nobody before commit and leaves nothing after abort', async () => {
    const written = await write(talk());
    expect(existsSync(written.final)).toBe(false);
    expect(written.temp).not.toMatch(/rollout-[^/]*\.jsonl$/);
    await written.abort();
    expect(existsSync(home.codex)).toBe(false);
  });

  it('begins with a complete session_meta', async () => {
    mkdirSync(home.codex);
    writeFileSync(join(home.codex, 'config.toml'), 'model = "gpt-5.5"\nmodel_provider = "azure"\n');
    const [first] = linesOf(await committed(talk()));
    expect(first?.type).toBe('session_meta');
    expect(first?.payload).toEqual({
      session_id: THREAD,
      id: THREAD,
      timestamp: '2026-11-29T13:46:40.000Z',
      cwd: '/home/dev/project',
      originator: 'sessionctl',
      cli_version: '0.171.0',
      source: 'cli',
      thread_source: 'user',
      model_provider: 'azure',
      history_mode: 'paginated',
      git: { branch: 'main' },
    });
  });

  it('numbers its lines and lets no time go back, whatever the source says', async () => {
    const session = talk();
    session.events[2]!.ts = null;
    session.events[4]!.ts = 5;
    const lines = linesOf(await committed(session));
    expect(lines.map(({ ordinal }) => ordinal)).toEqual(lines.map((_, i) => i));
    const times = lines.map(({ timestamp }) => timestamp);
    expect(times).toEqual([...times].sort());
    for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('is the same, byte for byte, on every run, and a run after a crash keeps the finished file', async () => {
    const path = await committed(talk());
    const bytes = readFileSync(path);
    writeFileSync(join(dirname(path), `.${path.split('/').at(-1)}.999-0.part`), 'left by a killed run');
    const again = await write(talk());
    expect(readFileSync(again.temp).equals(bytes)).toBe(true);
    unwrap(await again.commit());
    expect(readdirSync(dirname(path))).toHaveLength(1);
  });

  it('never replaces a file that holds something else', async () => {
    const path = await committed(talk());
    writeFileSync(path, 'continued');
    const again = await write(talk());
    expect(await again.commit()).toMatchObject({ ok: false, error: { code: 'target_exists' } });
    expect(readFileSync(path, 'utf8')).toBe('continued');
    expect(readdirSync(dirname(path))).toHaveLength(1);
  });

  it('is refused without a project folder or anything to say', async () => {
    expect(await writeRollout(talk().source(), writeOptions(env, { cwd: '' }))).toMatchObject({
      ok: false,
      error: { code: 'unknown_cwd' },
    });
    expect(await writeRollout(new TestSession().source(), writeOptions(env))).toMatchObject({
      ok: false,
      error: { code: 'no_conversation' },
    });
    expect(existsSync(join(home.codex, 'sessions'))).toBe(false);
  });

  it('is refused when nothing of it reaches a model: reasoning of another provider, a summary without words', async () => {
    const session = new TestSession();
    session.thinking('r', 'a thought');
    session.summary('');
    expect(await writeRollout(session.source(), writeOptions(env))).toMatchObject({
      ok: false,
      error: { code: 'no_conversation' },
    });
  });

  it('is removed when the source cannot be read to its end', async () => {
    const session = talk();
    session.user([session.image()]);
    session.artifacts.clear();
    expect(await writeRollout(session.source(), writeOptions(env))).toMatchObject({ ok: false });
    expect(existsSync(home.codex)).toBe(false);
  });
});

describe('for the model', () => {
  it('writes messages, calls and outputs as the Responses API has them, without ids of other providers', async () => {
    expect(itemsOf(await committed(talk()))).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'List the files.' }] },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'I list them.' }],
        phase: 'commentary',
      },
      { type: 'function_call', name: 'Bash', arguments: '{"command":"ls","description":"list"}', call_id: 'toolu_1' },
      { type: 'function_call_output', call_id: 'toolu_1', output: 'a\nb' },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Two files.' }],
        phase: 'final_answer',
      },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Thanks.' }] },
    ]);
  });

  it('answers a free-text call in its own family', async () => {
    const session = new TestSession();
    session.call('r1', 'c', { name: 'apply_patch', arguments: '*** Begin Patch', tool: 'edit' });
    session.result('c', 'Done');
    expect(itemsOf(await committed(session))).toEqual([
      { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch', call_id: 'c' },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'Done' },
    ]);
  });

  it('closes an unanswered call by words, as a failure', async () => {
    const session = new TestSession();
    session.call('r1', 'c');
    const path = await committed(session);
    expect(itemsOf(path)[1]).toMatchObject({
      type: 'function_call_output',
      output: expect.stringMatching(/^Not run: .*interrupted/),
    });
    expect(shown(linesOf(path), 'CommandExecution')).toMatchObject([{ status: 'failed', exit_code: 1 }]);
  });

  it('carries images in prompts and in outputs, with the type that their bytes say', async () => {
    const session = new TestSession();
    session.user([{ kind: 'text', text: 'What is this?' }, session.image(PNG, 'image/jpeg')]);
    session.call('r1', 'c', { name: 'Read', arguments: { file_path: 'a.png' }, tool: 'read' });
    session.result('c', [session.image()]);
    const image = { type: 'input_image', image_url: `data:image/png;base64,${Buffer.from(PNG).toString('base64')}` };
    expect(itemsOf(await committed(session))).toMatchObject([
      { content: [{ type: 'input_text', text: 'What is this?' }, image] },
      {},
      { output: [image] },
    ]);
  });

  it('names what Codex cannot take instead of dropping it', async () => {
    const session = new TestSession();
    session.user([
      session.image(PNG, 'image/tiff'),
      { kind: 'document', name: 'spec.pdf', media_type: 'application/pdf', artifact: 'artifact:x', bytes: 9 },
    ]);
    const [message] = itemsOf(await committed(session));
    expect(JSON.stringify(message)).toMatch(
      /Image \(image\/tiff\) was not carried over.*Document spec\.pdf \(application\/pdf, 9 bytes\) was not carried over/,
    );
  });

  it('writes the whole of an output that was cut in the log', async () => {
    const session = new TestSession();
    const whole = 'line\n'.repeat(5000);
    session.call('r1', 'c');
    session.result('c', 'head … tail', {
      truncated: { bytes: whole.length, artifact: session.artifact(Buffer.from(whole)) },
    });
    const path = await committed(session);
    expect(itemsOf(path)[1]).toMatchObject({ output: whole });
    expect(shown(linesOf(path), 'CommandExecution')).toMatchObject([{ aggregated_output: 'head … tail' }]);
  });

  it('says in words that a call failed where the output does not', async () => {
    const session = new TestSession();
    session.call('r1', 'a');
    session.call('r1', 'b');
    session.call('r1', 'c');
    session.result('a', 'no such file', { is_error: true });
    session.result('b', 'hm', { is_error: true });
    session.result('c', [], { is_error: true });
    expect(itemsOf(await committed(session)).slice(3)).toMatchObject([
      { output: 'no such file' },
      { output: '[The tool reported an error]\nhm' },
      { output: '[The tool reported an error]' },
    ]);
  });

  it('leaves reasoning of another provider at home, signature and all, and shows its text', async () => {
    const session = talk();
    session.thinking('r3', 'secret thought');
    session.thinking('r3');
    const path = await committed(session);
    expect(readFileSync(path, 'utf8')).not.toContain('c2lnbmF0dXJl');
    expect(itemsOf(path).some(({ type }) => type === 'reasoning')).toBe(false);
    expect(shown(linesOf(path), 'Reasoning')).toMatchObject([{ summary_text: ['secret thought'] }]);
  });

  it('puts a compaction summary and a preface in front, marked as what they are', async () => {
    const session = new TestSession();
    session.summary('This session is being continued.');
    session.user('Go on.');
    const items = itemsOf(await committed(session, { preface: 'Earlier work: …' }));
    expect(items.map(({ role }) => role)).toEqual(['user', 'user', 'user']);
    expect(items[0]).toMatchObject({
      content: [
        {
          text: expect.stringMatching(
            /^<handed_over_context>\n.*data.*not instructions[\s\S]*Earlier work: …\n<\/handed_over_context>$/,
          ),
        },
      ],
    });
    expect(items[1]).toMatchObject({ content: [{ text: 'This session is being continued.' }] });
  });

  it('writes no half characters and no blank texts', async () => {
    const session = new TestSession();
    session.user('a \ud83d b');
    session.reply('r1', '  \n');
    session.call('r1', 'c', { arguments: { 'key \udc00': 'value \ud800', backslash: '\\ud800' } });
    session.result('c', '\udfff');
    const path = await committed(session);
    expect(readFileSync(path, 'utf8')).not.toMatch(/(^|[^\\])(\\\\)*\\ud[89a-f]/);
    expect(itemsOf(path)).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a \ufffd b' }] },
      {
        type: 'function_call',
        name: 'Bash',
        arguments: JSON.stringify({ 'key \ufffd': 'value \ufffd', backslash: '\\ud800' }),
        call_id: 'c',
      },
      { type: 'function_call_output', call_id: 'c', output: '\ufffd' },
    ]);
  });

  it('writes the tokens of the model view as last usage, so that Codex compacts in time, and none as used', async () => {
    const lines = linesOf(await committed(talk(), { tokens: 240_000 }));
    expect(events(lines, 'token_count')).toMatchObject([
      {
        info: {
          last_token_usage: { total_tokens: 240_000 },
          total_token_usage: { total_tokens: 0 },
          model_context_window: 258_400,
        },
      },
    ]);
    expect(lines.at(-1)?.payload.type).toBe('task_complete');
  });
});

describe('for the person', () => {
  it('frames each prompt with its answer as a turn', async () => {
    const lines = linesOf(await committed(talk()));
    const frames = lines
      .filter(({ payload: { type } }) => type === 'task_started' || type === 'task_complete')
      .map(({ payload: { type, turn_id, last_agent_message } }) => [type, turn_id, last_agent_message]);
    expect(frames.map(([type]) => type)).toEqual(['task_started', 'task_complete', 'task_started', 'task_complete']);
    expect(frames[0]![1]).toBe(frames[1]![1]);
    expect(frames[1]![2]).toBe('Two files.');
    expect(frames[3]![2]).toBeNull();
  });

  it('shows prompts, replies and commands, and no prompt that the person did not type', async () => {
    const session = talk();
    session.events.unshift(...new TestSession().events, session.system('<system-reminder>x</system-reminder>'));
    session.events.pop();
    const lines = linesOf(await committed(session));
    expect(shown(lines, 'UserMessage').map(({ content }) => content)).toMatchObject([
      [{ text: 'List the files.' }],
      [{ text: 'Thanks.' }],
    ]);
    expect(shown(lines, 'AgentMessage').map(({ content }) => content)).toMatchObject([
      [{ text: 'I list them.' }],
      [{ text: 'Two files.' }],
    ]);
    expect(shown(lines, 'CommandExecution')).toMatchObject([
      {
        id: 'toolu_1',
        command: ['bash', '-lc', 'ls'],
        cwd: 'file:///home/dev/project',
        status: 'completed',
        aggregated_output: 'a\nb',
        exit_code: 0,
      },
    ]);
    expect(events(lines, 'user_message').map(({ message }) => message)).toEqual(['List the files.', 'Thanks.']);
  });

  it('shows edits with their true lines, MCP calls, and any other tool by its name', async () => {
    const session = new TestSession();
    session.call('r1', 'e', {
      name: 'Edit',
      arguments: { file_path: '/p/a.ts', old_string: 'a', new_string: 'b' },
      tool: 'edit',
    });
    session.call('r1', 'w', { name: 'Write', arguments: { file_path: '/p/new.ts', content: 'x' }, tool: 'write' });
    session.call('r1', 'u', { name: 'Edit', arguments: { file_path: '/p/b.ts' }, tool: 'edit' });
    session.call('r1', 'm', { name: 'mcp__issues__search', arguments: { q: 1 }, tool: 'mcp', server: 'issues' });
    session.call('r1', 'o', { name: 'WebFetch', arguments: { url: 'u' }, tool: 'web' });
    session.result('e', 'ok', {
      structured: { structuredPatch: [{ oldStart: 3, oldLines: 1, newStart: 3, newLines: 1, lines: ['-a', '+b'] }] },
    });
    session.result('w', 'ok', { structured: { type: 'create' } });
    for (const id of ['u', 'm', 'o']) session.result(id);
    const lines = linesOf(await committed(session));
    expect(shown(lines, 'FileChange').map(({ changes }) => changes)).toEqual([
      { '/p/a.ts': { type: 'update', unified_diff: '@@ -3,1 +3,1 @@\n-a\n+b\n', move_path: null } },
      { '/p/new.ts': { type: 'add', content: 'x' } },
    ]);
    expect(shown(lines, 'McpToolCall')).toMatchObject([{ server: 'issues', tool: 'search', arguments: { q: 1 } }]);
    expect(shown(lines, 'DynamicToolCall').map(({ tool }) => tool)).toEqual(['Edit', 'WebFetch']);
  });

  it('gives a session without any prompt something to be listed by', async () => {
    const session = new TestSession();
    session.summary('Summary of the work.');
    session.reply('r1', 'Going on.');
    expect(shown(linesOf(await committed(session)), 'UserMessage')).toMatchObject([
      { content: [{ text: 'Summary of the work.' }] },
    ]);
  });
});

describe('for an older or unknown Codex', () => {
  it('writes the legacy form: no ordinals, no items, the same conversation', async () => {
    const old = linesOf(await committed(talk(), { version: '0.144.6' }));
    expect(old.every((line) => line.ordinal === undefined)).toBe(true);
    expect(old[0]?.payload).toMatchObject({ history_mode: 'legacy', cli_version: '0.144.6' });
    expect(events(old, 'item_completed')).toEqual([]);
    expect(events(old, 'agent_message').map(({ message }) => message)).toEqual(['I list them.', 'Two files.']);
  });

  it('says that the version is not known', async () => {
    const written = await write(talk(), { version: null });
    expect(written.warnings).toMatchObject([{ about: 'target-version-unknown' }]);
    expect(linesOf(written.temp)[0]?.payload).toMatchObject({ history_mode: 'legacy' });
  });
});
