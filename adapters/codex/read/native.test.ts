import { describe, expect, it } from 'vitest';
import { listFixtures } from '../../../fixtures/load.ts';
import type { ContentBlock, SessionEvent } from '../../../src/shared/events.ts';
import { modelView } from '../../testing/model-view.ts';
import { type Captured, captureFixture, sentOf, texts, told } from '../testing/native.ts';

type Json = Record<string, unknown>;

/** Threads whose last request is not what their file says, with the reason. */
const NOT_COMPARABLE: Record<string, string> = {
  'legacy-0.50.0': 'sent outputs in another form than it wrote',
  'p-subagent 01a22792-4277': 'sends its search for tools, which is left out',
};

const HARNESS = /^<(environment_context|user_instructions|skill|model_switch|recommended)|^# AGENTS/;

/** The conversation in a request: what another agent must be told. */
function factsSent(input: Json[]): string[] {
  return input.flatMap((item): string[] => {
    const type = String(item.type);
    const text = flat(item.content ?? item.output);
    if (type === 'message') return HARNESS.test(text.trim()) ? [] : [`${String(item.role)}: ${text}`];
    if (type === 'agent_message')
      return [`user: ${String(item.author)} → ${String(item.recipient)}: ${flat(item.content)}`];
    if (type.startsWith('compaction')) return [type];
    if (type === 'function_call') return [`call ${fullName(item)} ${sorted(JSON.parse(String(item.arguments)))}`];
    if (type === 'custom_tool_call') return [`call ${fullName(item)} ${String(item.input)}`];
    // what the client puts in the place of an output that is not there
    return type.endsWith('_output') && text !== 'aborted' ? [`output ${text}`] : [];
  });
}

const fullName = ({ namespace, name }: Json): string =>
  typeof namespace === 'string' ? `${namespace}__${String(name)}` : String(name);

function flat(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  const parts = ((content ?? []) as Json[]).filter(({ type }) => type !== 'encrypted_content');
  return parts
    .map((part) => (part.image_url === undefined ? String(part.text ?? '') : '[image]'))
    .filter((text) => !/^<\/?image/.test(text))
    .join('|')
    .trim();
}

/** The same from our events. */
function factsOf(events: SessionEvent[], artifacts: ReadonlyMap<string, { bytes: Uint8Array }>): string[] {
  return events.flatMap(({ type, payload }): string[] => {
    const blocks = (payload.content ?? payload.summary ?? []) as ContentBlock[];
    const cut = payload.truncated as { artifact: string } | undefined;
    const text =
      cut === undefined
        ? blocks.map(textOf).join('|').trim()
        : Buffer.from(artifacts.get(cut.artifact)!.bytes).toString().trim();
    if (type === 'message.user' || type === 'message.system') return [`user: ${text}`];
    if (type === 'message.assistant') return [`assistant: ${text}`];
    if (type === 'context.compacted') return [text.startsWith('compaction') ? text : `user: ${text}`];
    if (type === 'tool.call')
      return [
        `call ${String(payload.name)} ${typeof payload.arguments === 'string' ? payload.arguments : sorted(payload.arguments)}`,
      ];
    return type === 'tool.result' ? [`output ${text}`] : [];
  });
}

function textOf(block: ContentBlock): string {
  if (block.kind === 'text') return block.text;
  return block.kind === 'opaque' ? String((block.native as Json).type) : `[${block.kind}]`;
}

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort())
      : inner,
  );

const names = await listFixtures('codex');

describe('what the real clients wrote', () => {
  for (const name of names) {
    it(`${name}: every record is accounted for, none unknown or unreadable`, async () => {
      for (const { outcome, events } of await captureFixture(name)) {
        expect(told(outcome)).toBe(outcome.records);
        expect(outcome.unknown).toEqual({});
        expect(outcome.unreadable).toBe(0);
        expect(events.length).toBeGreaterThan(2);
      }
    });
  }

  for (const name of names) {
    it(`${name}: the model view is what the client sent last, and its answer`, async () => {
      const sent = await sentOf(name);
      for (const captured of await captureFixture(name)) {
        const id = captured.ref.native_id;
        const input = sent[id];
        if (
          input === undefined ||
          NOT_COMPARABLE[name] !== undefined ||
          NOT_COMPARABLE[`${name} ${id.slice(0, 13)}`] !== undefined
        )
          continue;
        const facts = factsSent(input);
        expect(factsOf(modelView(captured.events), captured.sink.artifacts).slice(0, facts.length)).toEqual(facts);
      }
    });
  }
});

const byId = (all: Captured[], id: string): Captured => all.find(({ ref }) => ref.native_id.startsWith(id))!;
const ofType = (events: SessionEvent[], type: string): Json[] =>
  events.flatMap((event) => (event.type === type ? [event.payload] : []));

describe('a thread of several files', () => {
  it('goes on from where it was rewound to; the dead end stays in the log', async () => {
    const [thread] = await captureFixture('q-backtrack-tui');
    expect(texts(thread!.events, 'message.user')).toHaveLength(4);
    expect(texts(modelView(thread!.events), 'message.user')).toEqual([
      'List the source files.',
      'Which file creates the server?',
    ]);
    expect(thread!.facts).toMatchObject({ title: 'List source files', title_from: 'agent' });
  });

  it('is one source, named by its first file', async () => {
    const [thread, ...more] = await captureFixture('q-backtrack-tui');
    expect(more).toEqual([]);
    expect(thread!.source.path).not.toMatch(/_[0-9a-f-]{36}\.jsonl$/);
  });
});

describe('forks and sub-agents', () => {
  it('gives a paginated fork the history that it shares, and names its parent first', async () => {
    const all = await captureFixture('g-fork-exec');
    const fork = byId(all, '01a22791-e625');
    expect(fork.ref.parent).toEqual({ kind: 'fork', native_id: byId(all, '01a22791-e497').ref.native_id });
    expect(fork.events.slice(0, 2).map(({ type }) => type)).toEqual(['session.start', 'session.fork']);
    expect(texts(modelView(fork.events), 'message.user')[0]).toBe('What routes does this server have?');
    const shared = fork.events.filter(({ origin }) => origin?.session !== undefined);
    expect(shared.length).toBeGreaterThan(3);
    expect(new Set(shared.map(({ origin }) => origin?.session))).toEqual(new Set([fork.ref.parent?.native_id]));
  });

  it('gives a sub-agent the talk that its parent gave it, as a copy', async () => {
    const all = await captureFixture('p3-subagent-fork');
    const child = byId(all, '01a22793-762b');
    const parent = byId(all, '01a22793-74d1').ref.native_id;
    expect(child.ref.parent).toEqual({ kind: 'subagent', native_id: parent });
    const copied = modelView(child.events).filter(({ origin }) => origin?.session !== undefined);
    expect(new Set(copied.map(({ origin }) => origin?.session))).toEqual(new Set([parent]));
    expect(texts(copied, 'message.user')).toEqual([
      'How does the store work?',
      'Get a second opinion from a helper that knows our talk.',
    ]);
    expect(texts(copied, 'message.assistant')).toEqual(['The store is one JSON file.']);
    const own = child.events.filter(({ origin }) => origin?.session === undefined);
    expect(texts(own, 'message.user')).toEqual([]);
    expect(texts(own, 'message.assistant')).toEqual([
      'Second opinion: fine for small files.',
      'Not fine for big files.',
    ]);
    expect(child.facts).toMatchObject({ title: 'second_opinion', title_from: 'agent' });
    expect(child.warnings).toEqual([]);
  });
});

describe('rollbacks and compactions', () => {
  it('drops what was rolled back from the model view', async () => {
    const thread = byId(await captureFixture('legacy-0.144.6-ops'), '01a22788-2535');
    expect(texts(thread.events, 'message.user')).toContain('A question that will be rolled back.');
    expect(texts(modelView(thread.events), 'message.user')).toEqual([
      'How does the store work?',
      'Which methods?',
      'A better question.',
      'A question after compaction.',
    ]);
  });

  it('keeps prompts and summary of a compaction, once each', async () => {
    const [thread] = await captureFixture('h-compact-tui');
    const [compaction] = ofType(thread!.events, 'context.compacted');
    expect(compaction).toMatchObject({ trigger: 'manual', kept_first: true });
    expect(texts(thread!.events, 'message.assistant').join()).not.toContain('SUMMARY');
    expect(texts(modelView(thread!.events), 'message.user')).toEqual([
      'What does parse_amount handle?',
      'Anything it does not handle?',
      'So what should we do about percent signs?',
    ]);
  });

  it('keeps the summary of a remote compaction whole and closed', async () => {
    const [thread] = await captureFixture('h2-compact-remote');
    expect(ofType(thread!.events, 'context.compacted')).toMatchObject([
      { trigger: 'remote', summary: [{ kind: 'opaque', native: { type: 'compaction' } }] },
    ]);
  });
});

describe('tool calls', () => {
  it('tells exit codes and times, by the item where there is one', async () => {
    const [thread] = await captureFixture('b-shell');
    expect(ofType(thread!.events, 'tool.result').map(({ exit_code }) => exit_code)).toEqual([0, 1, 2, 3, undefined, 0]);
    const runs = ofType(thread!.events, 'command.run');
    expect(runs[3]).toMatchObject({
      exit_code: 3,
      stdout_tail: 'to stderr\nto stdout\n',
      cwd: '/home/dev/cx/repos/ledger-cli',
    });
    expect(runs.at(-1)).toMatchObject({ exit_code: 0, duration_ms: 2867 });
  });

  it('hangs the commands and edits of code mode on the cell that ran them', async () => {
    const [thread] = await captureFixture('s-code-mode');
    const cells = thread!.events
      .filter(({ type, payload }) => type === 'tool.call' && payload.name === 'exec')
      .map(({ seq }) => `seq:${seq}`);
    const derived = thread!.events.filter(({ type }) => type === 'command.run' || type === 'file.edit');
    expect(derived.map(({ type, refs }) => [type, refs[0]])).toEqual([
      ['command.run', cells[0]],
      ['command.run', cells[0]],
      ['file.edit', cells[1]],
      ['file.edit', cells[1]],
    ]);
  });

  it('takes a failed MCP call as an error, though its output does not say so', async () => {
    const [thread] = await captureFixture('j-mcp');
    expect(ofType(thread!.events, 'tool.call').map(({ tool, server }) => [tool, server])).toContainEqual([
      'mcp',
      'issues',
    ]);
    expect(ofType(thread!.events, 'tool.result').some(({ is_error }) => is_error === true)).toBe(true);
  });

  it('marks an interrupted call and the turn that was aborted', async () => {
    const [thread] = await captureFixture('k2-interrupted-sigint');
    expect(ofType(thread!.events, 'tool.result')).toContainEqual(
      expect.objectContaining({ closed: 'interrupted', is_error: true }),
    );
    expect(texts(thread!.events, 'message.system').join()).toContain('The turn was aborted (interrupted).');
  });

  it('keeps pictures as artifacts and leaves out the frames around them', async () => {
    const [thread] = await captureFixture('i-image');
    const [prompt] = ofType(thread!.events, 'message.user');
    expect((prompt!.content as ContentBlock[]).map(({ kind }) => kind)).toEqual(['image', 'image', 'text']);
    expect(JSON.stringify(thread!.events)).not.toMatch(/base64,[^"]/);
  });
});

describe('older files', () => {
  it('reads records without envelope, without times, and two on a line', async () => {
    const [thread] = await captureFixture('legacy-0.8.0');
    expect(texts(thread!.events, 'message.user')).toEqual(['Make the store read UTF-8.', 'Anything else?']);
    expect(thread!.warnings.map(({ about }) => about)).toEqual(['glued-line']);
    expect(thread!.events.every(({ ts, type }) => ts === null || type === 'session.start')).toBe(true);
  });

  it('finds the project folder of files whose header names none', async () => {
    for (const thread of await captureFixture('legacy-0.29.0'))
      expect(thread.facts.cwd).toBe('/home/dev/cx/repos/ledger-cli');
  });

  it('reads a compressed file and one that was unpacked again', async () => {
    const all = await captureFixture('w-compressed');
    expect(all.map(({ source }) => source.path.endsWith('.zst')).sort()).toEqual([false, true]);
    for (const thread of all) expect(texts(thread.events, 'message.assistant').length).toBeGreaterThan(0);
  });
});
