import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listFixtures, loadFixture, readFixtureFile } from '../../../fixtures/load.ts';
import { canonicalJson } from '../../../src/core/log/canonical-json.ts';
import { SummaryProjector } from '../../../src/core/view/summary.ts';
import type { ContentBlock, SessionEvent } from '../../../src/shared/events.ts';
import { modelView } from '../../testing/model-view.ts';
import { rebuildRecords } from '../rebuild.ts';
import { type Captured, captureFixture, captureHome, talk, told, withHome } from '../testing/home.ts';
import type { Json } from './record.ts';
import { currentFile } from './surroundings.ts';

const names = await listFixtures('gemini');

/** Token counts of a file, each message once with its highest numbers, read without any code of the adapter. */
function tokensIn(records: Json[]): Json {
  const byId = new Map<string, Record<string, number>>();
  const see = ({ id, tokens }: Json): void => {
    if (tokens !== undefined && tokens !== null) byId.set(String(id), tokens as Record<string, number>);
  };
  for (const record of records) {
    const set = record.$set as Json | undefined;
    for (const message of ((set?.messages ?? record.messages ?? []) as Json[]).concat(record)) see(message);
  }
  const sum = (field: string): number => [...byId.values()].reduce((all, tokens) => all + (tokens[field] ?? 0), 0);
  return {
    input: sum('input') - sum('cached'),
    output: sum('output'),
    cache_read: sum('cached'),
    cache_write: 0,
    reasoning: sum('thoughts'),
  };
}

function usageOf({ events }: Captured): unknown {
  const projector = new SummaryProjector();
  for (const event of events) projector.add(event.seq, event);
  return projector.row().usage;
}

/** The client says this behind a summary; no model did. */
const ACKNOWLEDGED = 'model: Got it. Thanks for the additional context!';

/** The conversation in a request. The client sends each result of a resumed session twice. */
function factsSent(contents: Json[]): string[] {
  const facts = contents.flatMap(({ role, parts }) =>
    (parts as Json[]).map((part) => {
      const { functionCall: call, functionResponse: response } = part as Record<string, Json | undefined>;
      if (call !== undefined) return `call ${String(call.id)} ${String(call.name)} ${canonicalJson(call.args as Json)}`;
      if (response === undefined)
        return part.inlineData === undefined ? `${String(role)}: ${String(part.text)}` : 'image';
      const { output, error } = response.response as Json;
      return `result ${String(response.id)} ${String(output ?? error)}`;
    }),
  );
  const again = facts.filter((fact, n) => fact.startsWith('result ') && facts.indexOf(fact) < n);
  const once = facts.filter((fact, n) => fact !== ACKNOWLEDGED && !(again.includes(fact) && facts.indexOf(fact) < n));
  return textsFirst(once);
}

/** The same from our events. */
function factsOf(events: readonly SessionEvent[]): string[] {
  return textsFirst(
    events.flatMap(({ type, payload }) => {
      const blocks = (payload.content ?? payload.summary ?? []) as ContentBlock[];
      const texts = blocks.map((block) => (block.kind === 'text' ? block.text : block.kind));
      if (type === 'tool.call')
        return [`call ${sentId(payload)} ${String(payload.name)} ${canonicalJson(payload.arguments as Json)}`];
      if (type === 'tool.result') return [`result ${sentId(payload)} ${texts[0] ?? ''}`, ...texts.slice(1)];
      if (type === 'message.thinking') return [];
      const role = type === 'message.assistant' ? 'model' : 'user';
      return texts.map((text) => (text === 'image' ? text : `${role}: ${text}`));
    }),
  );
}

/** The client writes the name of the tool in front of an id, and sends it without. */
const sentId = ({ call_id }: Json): string => String(call_id).replace(/^[a-z_]+?__/, '');

/** Texts of files stand behind the pictures of their prompt, and pictures of results are sent twice: they are compared apart. */
const textsFirst = (facts: string[]): string[] => [
  ...facts.filter((fact) => fact !== 'image'),
  facts.includes('image') ? 'with pictures' : 'without',
];

function recordsOf(source: string): Json[] {
  const path = currentFile(source);
  const text = readFileSync(path, 'utf8');
  if (path.endsWith('.json')) return [JSON.parse(text) as Json];
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
}

describe('what the real clients wrote', () => {
  it.each(names)('%s: every record is accounted for, and can be written again as it was', async (name) => {
    await withHome(async (env) => {
      await loadFixture('gemini', name, env.home);
      const sessions = await captureHome(env);
      expect(sessions.length).toBeGreaterThan(0);
      for (const session of sessions) {
        const { outcome, source, events, sink, warnings } = session;
        expect(told(outcome)).toBe(outcome.records);
        expect(outcome).toMatchObject({ unknown: {}, unreadable: 0, declared: {}, warnings: [] });
        expect(warnings).toEqual([]);
        const records = recordsOf(source.path);
        const rebuilt: string[] = [];
        for await (const { line, record } of rebuildRecords(events, sink.read)) rebuilt[line] = canonicalJson(record);
        expect(rebuilt).toEqual(records.map((record) => canonicalJson(record)));
        expect(usageOf(session)).toEqual(tokensIn(records));
      }
    });
  });

  const views: Record<string, string[]> = {
    'api-error': [],
    image: [
      'prompt @pix.png 这是什么?|[image]',
      'note \n--- Content from referenced files ---|\n--- End of content ---',
      'reply A pixel. 一个像素。',
    ],
    'interactive-compress': [
      'summary <state_snapshot><overall_goal>fixture</overall_goal></state_snapshot>',
      'prompt second question',
      'reply Second interactive answer.',
      'prompt third question',
      'reply Third interactive answer.',
    ],
    'resume-same-minute': [
      'prompt What is the capital of France?',
      'thinking **Considering capitals** The user asks about France.',
      'reply The capital of France is Paris.',
      'prompt How many people live there?',
      'reply About 2.1 million people live there.',
    ],
    'synthetic-json-resumed': [
      'prompt Imported question?',
      'thinking **Plan** run ls',
      'reply Using a tool.',
      'call Bash {"command":"ls"}',
      'result README.md',
      'reply Imported answer.',
      'prompt Go on',
      'reply About 2.1 million people live there.',
    ],
  };
  it.each(Object.entries(views))('%s: the model view', async (name, view) => {
    const [session] = await captureFixture(name);
    expect(talk(modelView(session!.events))).toEqual(view);
  });

  it.each(names)('%s: the model view is what the client sends when it resumes', async (name) => {
    const file = await readFixtureFile('gemini', name, 'sent.json');
    const sent = JSON.parse(file?.toString() ?? '{}') as Record<string, Json[]>;
    const sessions = await captureFixture(name);
    for (const [id, contents] of Object.entries(sent)) {
      const session = sessions.find(({ ref }) => ref.native_id === id)!;
      expect(factsOf(modelView(session.events))).toEqual(factsSent(contents));
    }
    expect(Object.keys(sent).length).toBe(name === 'api-error' ? 0 : 1);
  });

  it('goes on after a resume that left a file without a conversation beside the session', async () => {
    const sessions = await captureFixture('interactive-resume-stub');
    expect(sessions.map(({ ref }) => ref.native_id)).toEqual(['eea7d32a-a230-4be3-85c7-fcd95d64f052']);
    expect(talk(modelView(sessions[0]!.events)).at(-2)).toBe('prompt fourth question');
  });

  it('keeps what a compaction and a failed request took away, inactive', async () => {
    const [compressed] = await captureFixture('interactive-compress');
    expect(talk(compressed!.events)).toEqual(
      expect.arrayContaining(['prompt hello one', 'reply First interactive answer.']),
    );
    const [failed] = await captureFixture('api-error');
    expect(talk(failed!.events)).toContain('prompt fail please');
    const start = failed!.events.findIndex(({ type }) => type === 'session.start');
    const leaf = failed!.events.find(({ payload }) => payload.key === 'leaf');
    expect(leaf?.payload.value).toBeGreaterThanOrEqual(start);
  });

  it('keeps the kept messages of a compaction once', async () => {
    const [session] = await captureFixture('interactive-resume-stub');
    const prompts = talk(session!.events).filter((line) => line === 'prompt second question');
    expect(prompts).toHaveLength(1);
  });

  it('finds sub-agents with the call that started them, from both sides', async () => {
    const [child, main] = await captureFixture('subagent');
    const parent = { kind: 'subagent', native_id: main!.ref.native_id, call_id: 'invoke_agent__sa-1' };
    expect(child!.ref).toEqual({ native_id: '31dd86ee-1755-4eb2-ae78-fe082e66ad19', parent });
    const call = main!.events.find(({ type }) => type === 'tool.call');
    expect(call?.payload).toMatchObject({
      tool: 'agent',
      child_session: main!.sink.idOf({ path: child!.source.path, native_id: child!.ref.native_id }),
    });
    expect(child!.facts.cwd).toBe('/home/dev/hms/work/gproj/sub');
  });

  it('tells calls by kind, exit codes, failures, and what was done to files', async () => {
    const [session] = await captureFixture('tool-calls');
    const of = (type: string): Json[] =>
      session!.events.filter((event) => event.type === type).map(({ payload }) => payload);
    expect(of('tool.call').map(({ tool }) => tool)).toEqual(['shell', 'read', 'write', 'edit', 'shell', 'other']);
    expect(of('tool.result').map(({ is_error, exit_code }) => [is_error, exit_code])).toEqual([
      [false, 0],
      [true, undefined],
      [false, undefined],
      [false, undefined],
      [false, 3],
      [true, undefined],
    ]);
    expect(of('command.run')).toEqual([
      { cmd: 'echo hello && ls', stdout_tail: 'hello' },
      { cmd: 'exit 3', stdout_tail: '' },
    ]);
    expect(of('file.edit')).toMatchObject([
      { path: 'notes.txt', op: 'create', diff: expect.stringContaining('+line one') },
      { path: 'notes.txt', op: 'edit', diff: expect.stringContaining('-line two') },
    ]);
  });

  it('takes the folder from the mark, the registry or the hash, and never from a name', async () => {
    const [old] = await captureFixture('legacy-json-0.24');
    expect(old!.facts.cwd).toBeUndefined();
    const [marked] = await captureFixture('resume-same-minute');
    expect(marked!.facts.cwd).toBe('/home/dev/hms/work/gproj/My_Demo.Project');
  });
});
