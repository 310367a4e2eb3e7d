import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { EXPORT_FORMATS } from '../../shared/choices.ts';
import { sessionExportSchema } from '../../shared/outputs.ts';
import { LogBuilder } from '../view/testing.ts';
import { OUTPUTS } from './formats.ts';
import { SCRIPT } from './html/script.ts';
import { STYLE } from './html/style.ts';
import { outputSession, ROW, written } from './testing.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'outputs');
const ajv = new Ajv2020({ allErrors: true });
addFormats.default(ajv);
const isAtif = ajv.compile(JSON.parse(readFileSync(join(FIXTURES, 'schemas', 'atif-1.7.schema.json'), 'utf8')));

const CHILD = 'sess_fedcba98765432100123';
const PNG = `artifact:sha256:${'a'.repeat(64)}`;
const images = new Map([[PNG, 'data:image/png;base64,iVBORw0KGgo=']]);

/** A little of everything that a session of any agent can hold. */
function session(): LogBuilder {
  const log = new LogBuilder();
  log.event('session.start', { cwd: '/home/dev/shop' }, { actor: 'system' });
  log.system('<system-reminder>be brief</system-reminder>');
  log.event(
    'message.user',
    {
      content: [
        { kind: 'text', text: 'Fix the price parser. 价格 “1,250.50” must work.\n\n- do not use `eval`' },
        { kind: 'image', media_type: 'image/png', artifact: PNG, bytes: 8, alt: 'the error' },
      ],
      via: 'prompt',
    },
    { actor: 'user' },
  );
  log.thinking('r1', 'A separator is in the way.');
  log.assistant(
    'r1',
    '## Plan\n\n1. run the tests\n2. fix `parse<T>()`\n\n| a | b |\n|---|---|\n| 1 | **2** |\n',
    undefined,
    {
      model: 'claude-opus-5-5',
      usage: { input: 20, output: 10, cache_read: 100 },
    },
  );
  log.call('r1', 'c1', 'shell', { command: 'npm test', description: 'Run the tests' });
  log.result('c1', 'FAIL price.test.ts\nexpected 125050 got NaN\n', undefined, {
    is_error: true,
    exit_code: 1,
    duration_ms: 340,
  });
  const edit = log.call('r2', 'c2', 'edit', { file_path: '/home/dev/shop/price.ts', old_string: 'a', new_string: 'b' });
  log.result('c2', 'updated');
  log.event(
    'file.edit',
    { path: '/home/dev/shop/price.ts', op: 'edit', diff: '@@ -1 +1 @@\n-a\n+b\n' },
    { refs: [`seq:${edit}`] },
  );
  log.event('tool.call', {
    response: 'r2',
    call_id: 'c3',
    name: 'Task',
    tool: 'agent',
    arguments: { prompt: 'review it' },
    child_session: CHILD,
  });
  log.result('c3', 'It is right.');
  log.compacted([], { tokens_before: 90_000, tokens_after: 4_000 });
  const asked = log.user('Is it done?');
  log.assistant('r3', 'Dead end.');
  log.user('Is it really done?', asked - 1);
  log.thinking('r4', undefined);
  log.assistant('r4', 'Yes: all tests pass.');
  log.event('meta', { key: 'usage', value: { response: 'r4', input: 5, output: 7 } });
  log.event('meta', { key: 'warning', value: { about: 'odd', detail: 'a line was cut', line: 3 } }, { parent: null });
  log.event('x.unknown', { any: 1 }, { parent: null });
  return log;
}

function subagent(): LogBuilder {
  const log = new LogBuilder();
  log.user('review it');
  log.assistant('s1', 'It is right.');
  return log;
}

const both = (all = false) => [
  outputSession(session(), {}, { all, images }),
  outputSession(subagent(), { id: CHILD, title: 'Review', parent: ROW.id, parent_kind: 'subagent' }, { all }),
];

/** The page without what is no part of a session: its looks, its program, and their hashes. */
const withoutAssets = (page: string): string =>
  page
    .replace(STYLE, '/* style */')
    .replace(SCRIPT, '/* program */')
    .replace(/'sha256-[^']+'/g, "'sha256-…'");

describe('a session as a file', () => {
  for (const format of EXPORT_FORMATS)
    it(`is written as ${format} to the byte as before`, async () => {
      const text = await written(format, both());
      const name = `session.${OUTPUTS[format].extension}`;
      await expect(format === 'html' ? withoutAssets(text) : text).toMatchFileSnapshot(join(FIXTURES, name));
    });

  it('leaves out what is not active, says how much, and has it when it is asked for', async () => {
    for (const format of EXPORT_FORMATS) {
      const [short, whole] = [await written(format, both()), await written(format, both(true), true)];
      expect({ format, has: short.includes('Dead end.') }).toEqual({ format, has: false });
      expect({ format, has: whole.includes('Dead end.') }).toEqual({ format, has: true });
    }
    expect(await written('markdown', both())).toContain('2 rows of undone turns and dead branches are left out');
    expect(await written('markdown', both(true), true)).toContain('**not active**');
    expect(await written('html', both(true), true)).toContain('Not active: undone, or on a dead branch');
  });
});

describe('the same session', () => {
  const { TZ, LANG } = process.env;
  afterEach(() => Object.assign(process.env, { TZ: TZ ?? '', LANG: LANG ?? '' }));

  it('gives the same bytes in another time zone and language, however its rows come', async () => {
    for (const format of EXPORT_FORMATS) {
      const before = await written(format, both());
      Object.assign(process.env, { TZ: 'Asia/Kolkata', LANG: 'tr_TR.UTF-8' });
      expect(await written(format, both())).toBe(before);
      Object.assign(process.env, { TZ: 'America/St_Johns', LANG: 'de_DE.UTF-8' });
      const pieces = both().map((one, at) =>
        outputSession(at === 0 ? session() : subagent(), one.row, { images: at === 0 ? images : new Map(), size: 1 }),
      );
      expect(await written(format, pieces)).toBe(before);
    }
  });
});

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '</pre></details></section></main><style>*{display:none}</style>',
  '[a](javascript:alert(1)) ![x](http://evil.example/p.png) <http://evil.example>',
  '```\n<b>\n````\n~~~\n',
  '- ```\n<script>1</script>\n',
  '` <script>` <i> ``',
  '| ` | <script> | ` |\n|---|---|---|',
  '\u001b]0;title\u0007\u001b[2J\u009b31m\u202eabc',
  '\ud800 lone \udc00',
  '</script><!-- --><![CDATA[ &amp; &#x3c;script>',
  '***__~~ [[[( **a *b** c* `',
  '中文 与 😀',
];
const hostile = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.array(fc.constantFrom(...HOSTILE, 'word', '\n', ' ', '> ', '# '), { maxLength: 6 }).map((parts) => parts.join('')),
);

/** Any session: turns with calls, failures, sub-agents, dead branches, in every order that can be written down. */
const anyLog = fc.array(
  fc.record({
    kind: fc.constantFrom(
      'user',
      'assistant',
      'thinking',
      'call',
      'result',
      'system',
      'compacted',
      'rewind',
      'usage',
      'unknown',
    ),
    text: hostile,
    id: fc.constantFrom('a', 'b', 'c', '__proto__'),
    odd: fc.boolean(),
  }),
  { maxLength: 30 },
);

type Step = typeof anyLog extends fc.Arbitrary<(infer S)[]> ? S : never;

function logOf(steps: readonly Step[]): LogBuilder {
  const log = new LogBuilder();
  for (const { kind, text, id, odd } of steps) {
    if (kind === 'user') log.user(text);
    else if (kind === 'assistant')
      log.assistant(id, text, undefined, odd ? { synthetic: true } : { usage: { input: 3, output: 2 } });
    else if (kind === 'thinking') log.thinking(id, odd ? undefined : text);
    else if (kind === 'call') log.call(id, id, odd ? 'edit' : 'shell', odd ? text : { command: text, [id]: text });
    else if (kind === 'result') log.result(id, text, undefined, odd ? { is_error: true, exit_code: 2 } : {});
    else if (kind === 'system') log.system(text);
    else if (kind === 'compacted') log.compacted([], { edit: odd });
    else if (kind === 'rewind' && log.events.length > 0) log.user(text, odd ? null : 0);
    else if (kind === 'usage') log.meta('usage', { response: id, input: 1, output: 4 });
    else log.event('x.unknown', { text }, { parent: null });
  }
  return log;
}

/** Words of what was said on the active branch: all of them must be in what is written. */
async function wordsOf(log: LogBuilder): Promise<string[]> {
  const words: string[] = [];
  for await (const { events } of outputSession(log).events())
    for (const { active, type, payload } of events) {
      const isSaid = type === 'message.user' || type === 'message.assistant';
      const blocks = isSaid && active ? (payload.content as { text: string }[]) : [];
      for (const { text } of blocks) words.push(...(text.match(/[\p{L}\p{N}]{2,}/gu) ?? []));
    }
  return words;
}

describe('any session', () => {
  it('is valid JSON of the documented form, with all that was said', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, fc.boolean(), async (steps, all) => {
        const text = await written('json', [outputSession(logOf(steps), {}, { all })], all);
        const value = sessionExportSchema.parse(JSON.parse(text));
        const said = JSON.stringify(value.sessions[0]!.rows);
        for (const word of await wordsOf(logOf(steps))) expect(said).toContain(word);
        expect(text).not.toMatch(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }),
    );
  });

  it('is a valid ATIF trajectory: steps in order, results with their calls, sums that add up', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, fc.boolean(), async (steps, all) => {
        const text = await written('atif', [outputSession(logOf(steps), {}, { all })], all);
        const trajectory = JSON.parse(text);
        isAtif(trajectory);
        expect(isAtif.errors).toBeNull();
        let tokens = 0;
        for (const [at, step] of trajectory.steps.entries()) {
          expect(step.step_id).toBe(at + 1);
          const calls = new Set((step.tool_calls ?? []).map((call: { tool_call_id: string }) => call.tool_call_id));
          expect(calls.size).toBe(step.tool_calls?.length ?? 0);
          for (const { source_call_id: id } of step.observation?.results ?? [])
            if (id !== undefined) expect(calls).toContain(id);
          tokens += step.metrics?.completion_tokens ?? 0;
        }
        expect(trajectory.final_metrics).toMatchObject({
          total_steps: trajectory.steps.length,
          total_completion_tokens: tokens,
        });
        for (const word of await wordsOf(logOf(steps))) expect(text).toContain(word);
      }),
    );
  });

  it('is a page whose every tag is ours and closed, with all that was said, and nothing to obey', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, hostile, async (steps, title) => {
        const page = await written('html', [outputSession(logOf(steps), { title, cwd: title })]);
        const { tags, text } = tagsOf(page);
        expect(tags.filter((tag) => tag === 'script')).toHaveLength(1);
        expect(page).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        for (const word of await wordsOf(logOf(steps))) expect(text).toContain(word);
      }),
    );
  });
});

const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [A-Za-z-]+(?:="[^"<>]*")?)*)(\/?)>/g;
const VOID = new Set(['meta', 'input', 'img', 'hr', 'br']);
const ATTRIBUTES =
  /^(?:lang|charset|http-equiv|content|name|class|id|role|hidden|type|placeholder|aria-label|aria-hidden|autocomplete|spellcheck|for|disabled|href|rel|target|open|start|alt|src|viewBox|x|y|d|r|rx|cx|cy|width|height)$/;

/** Tags of a page in order; fails on anything that begins like one and is none of the forms that we write. */
function tagsOf(page: string): { tags: string[]; text: string } {
  const body = page.replace(`<style>${STYLE}</style>`, '').replace(`<script>${SCRIPT}</script>`, '<script></script>');
  const open: string[] = [];
  const tags: string[] = [];
  const text = body
    .replace('<!doctype html>', '')
    .replace(TAG, (_whole, slash: string, name: string, attributes: string, closed: string) => {
      for (const [, attribute, value] of attributes.matchAll(/ ([A-Za-z-]+)(?:="([^"]*)")?/g)) {
        expect(attribute).toMatch(ATTRIBUTES);
        if (attribute === 'href') expect(value).toMatch(/^(?:#|https?:\/\/|mailto:)/);
        if (attribute === 'src') expect(value).toMatch(/^data:image\/(?:png|jpeg|gif|webp);base64,/);
      }
      if (slash) expect(open.pop()).toBe(name);
      else {
        tags.push(name);
        if (!VOID.has(name) && closed === '') open.push(name);
      }
      return '';
    });
  expect(open).toEqual([]);
  expect(text).not.toMatch(/[<>]/);
  return { tags, text };
}
