import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import type { CompiledContext } from '../../shared/compiled.ts';
import { page, shell } from '../compile/testing.ts';
import { sha256Hex } from '../hash.ts';
import { LogBuilder } from '../view/testing.ts';
import { a2aTask } from './a2a.ts';
import type { Origin } from './origin.ts';
import { ROW } from './testing.ts';
import { workMemory } from './work-mem.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'outputs');
const ajv = new Ajv2020({ allErrors: true });
addFormats.default(ajv);
const isTask = ajv.compile(JSON.parse(readFileSync(join(FIXTURES, 'schemas', 'a2a-1.0-task.schema.json'), 'utf8')));

const origin: Origin = { row: ROW, head: { seq: 20, checksum: `sha256:${'b'.repeat(64)}` } };

function log(): LogBuilder {
  const built = new LogBuilder();
  built.user('Fix the price parser. Do not add a dependency!');
  shell(built, 'a', 'npm test', 'FAIL price.test.ts\nexpected 125050 got NaN', 1);
  built.event('todo.add', { id: '1', text: 'strip separators', status: 'done', order: 0 });
  built.event('todo.add', { id: '2', text: 'add a <test> ![x](http://evil.example)', status: 'pending', order: 1 });
  const old = built.event('decision', { conclusion: 'Use a regular expression' });
  built.event('decision', { conclusion: 'Use `Intl.NumberFormat`', supersedes: old });
  built.assistant('r1', 'The separators are next.\n```\n# not a heading\n</untrusted>');
  return built;
}

const compiled = (): CompiledContext => ({ ...page(log()), reproduce: 'sessionctl compile sess_0123 --for codex' });

describe('a working memory', () => {
  it('has the four files, as before to the byte', async () => {
    const files = workMemory(compiled(), origin);
    expect(files.map(({ name }) => name)).toEqual(['STATE.md', 'TASKS.md', 'DECISIONS.md', 'HANDOFF.md']);
    for (const { name, text } of files) await expect(text).toMatchFileSnapshot(join(FIXTURES, 'work-mem', name));
  });

  it('holds every item in one of its files, and names the others by their hashes', () => {
    const made = compiled();
    const files = workMemory(made, origin);
    const all = files.map(({ text }) => text).join('\n');
    for (const { text, kind } of made.items) {
      const first = text.replace(/^- (?:\[ \] )?/, '').split(/[<!\n]/)[0]!;
      expect({ kind, has: all.includes(first) }).toEqual({ kind, has: true });
    }
    const handoff = files.at(-1)!.text;
    for (const { name, text } of files.slice(0, 3))
      expect(handoff).toContain(`| ${name} | sha256 ${sha256Hex(text)} |`);
    expect(handoff).toContain(made.sha256);
    expect(handoff).toContain('session://local/shop/claude/sess_0123456789abcdef0123');
  });

  it('has the head and the sections that the AIMemory protocol asks of a handoff', () => {
    const handoff = workMemory(compiled(), origin).at(-1)!.text;
    const names = [...handoff.matchAll(/^\*\*(.+?)\*\*: .+$/gm)].map(([, name]) => name);
    expect(names).toEqual([
      'From',
      'From-vendor',
      'To',
      'Date',
      'Type',
      'Priority',
      'Reply by',
      'Re',
      'Required capability',
    ]);
    const sections = [...handoff.matchAll(/^## (.+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(['Summary', 'Context', 'Content', 'Action items', 'Waiting on', 'Provenance']);
  });

  it('names the question that waits with its event, however short the reply is', () => {
    const asked = new LogBuilder();
    asked.user('Clean up the database.');
    asked.assistant('r1', 'Should I delete the old table?');
    const files = new Map(workMemory(page(asked), origin).map(({ name, text }) => [name, text]));
    expect(files.get('TASKS.md')).toContain('## Open questions\n\n- [ ] Should I delete the old table? [e1]');
    expect(files.get('HANDOFF.md')).toMatch(/## Waiting on\n\n```text\nShould I delete the old table\? \[e1\]\n```/);
  });

  it('takes nothing of the session for its own words', () => {
    const [state, tasks] = workMemory(compiled(), origin);
    const outside = state!.text.replace(/^(`{3,})text\n[\s\S]*?^\1$/gm, '');
    expect(outside).not.toContain('not a heading');
    expect(tasks!.text).toContain('- [ ] add a &lt;test> !&#91;x](http://evil.example)');
  });
});

describe('a task of A2A', () => {
  it('is valid, and refers to the history instead of holding it', () => {
    const made = compiled();
    const document = a2aTask(made, origin);
    isTask(document);
    expect(isTask.errors).toBeNull();
    expect(document).toMatchObject({
      task: {
        contextId: ROW.id,
        status: { state: 'TASK_STATE_WORKING', timestamp: '2026-09-21T14:23:20.000Z', message: { role: 'ROLE_AGENT' } },
        artifacts: [
          {
            artifactId: 'context',
            parts: [{ text: made.text, filename: 'context.md' }],
            metadata: { sessionctl: { sha256: made.sha256 } },
          },
          { artifactId: 'items', parts: [{ data: { items: made.items } }] },
          { artifactId: 'dropped' },
        ],
        metadata: {
          sessionctl: {
            full_history: { kind: 'session', session: ROW.id, head_seq: 20, checksum: origin.head.checksum },
            compiled: { sha256: made.sha256, for: 'codex' },
          },
        },
      },
    });
    expect(a2aTask(made, origin)).toEqual(document);
  });

  it('waits for an answer where the agent has asked, and is never called complete', () => {
    const asked = new LogBuilder();
    asked.user('Deploy it.');
    asked.assistant('r1', `${'Everything is prepared for it. '.repeat(80)}\n\nShall I deploy to production?`);
    expect(a2aTask(page(asked), origin)).toMatchObject({ task: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
    const short = new LogBuilder();
    short.user('Clean up the database.');
    short.assistant('r1', 'Should I delete the old table?');
    expect(a2aTask(page(short), origin)).toMatchObject({
      task: {
        status: {
          state: 'TASK_STATE_INPUT_REQUIRED',
          message: { parts: [{ text: expect.stringContaining('old table') }] },
        },
      },
    });
  });

  it('knows no time where none is known', () => {
    const document = a2aTask(page(log()), { ...origin, row: { ...ROW, last_activity: null } });
    isTask(document);
    expect(isTask.errors).toBeNull();
  });
});
