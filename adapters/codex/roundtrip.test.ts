import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unwrap } from '../../src/shared/errors.ts';
import type { ContentBlock, SessionEvent } from '../../src/shared/events.ts';
import type { MaterializeOptions } from '../contract.ts';
import { Arranger } from '../conversation/arrange.ts';
import { anySession } from '../testing/arbitrary.ts';
import { MemorySink } from '../testing/memory-sink.ts';
import { propertyRuns } from '../testing/property-runs.ts';
import { TestSession } from '../testing/session.ts';
import { captureThread } from './read/capture.ts';
import { recogniseRollout } from './read/discover.ts';
import { readBackRollout } from './readback.ts';
import { itemsOf, linesOf, tempHome, writeOptions } from './testing/home.ts';
import { outputOf } from './write/output.ts';
import { writeRollout } from './write/write.ts';

/** Writes a session into a home of its own and hands path and options to `look`. */
async function written<T>(
  session: TestSession,
  more: Partial<MaterializeOptions>,
  look: (path: string, options: MaterializeOptions) => Promise<T> | T,
): Promise<T | null> {
  const home = tempHome();
  try {
    const options = writeOptions(home.env, more);
    const result = await writeRollout(session.source(), options);
    if (!result.ok && result.error.code === 'no_conversation') return null;
    const value = unwrap(result);
    expect(await readBackRollout(value, session.source(), options, 'temp')).toMatchObject({ ok: true });
    unwrap(await value.commit());
    return await look(value.final, options);
  } finally {
    home.dispose();
  }
}

const versions = fc.constantFrom('0.171.0', '0.144.6');

describe('any session, written', () => {
  it('pairs every call with one output of its family, before anything else is said', async () => {
    await fc.assert(
      fc.asyncProperty(anySession, versions, async (session, version) => {
        await written(session, { version }, (path) => {
          const open = new Map<string, string>();
          const seen = new Set<string>();
          for (const { type, call_id, role } of itemsOf(path)) {
            const id = String(call_id);
            if (type === 'function_call' || type === 'custom_tool_call') {
              expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
              expect(seen.has(id)).toBe(false);
              seen.add(id);
              open.set(id, `${type}_output`);
            } else if (String(type).endsWith('_output')) {
              expect(open.get(id)).toBe(type);
              open.delete(id);
            } else if (role === 'user') expect(open.size).toBe(0);
          }
          expect(open.size).toBe(0);
        });
      }),
      propertyRuns(60, 51),
    );
  });

  it('keeps every prompt and reply, in order, and every call with its arguments and result', async () => {
    await fc.assert(
      fc.asyncProperty(anySession, async (session) => {
        await written(session, {}, (path) => {
          const items = itemsOf(path);
          const said = (role: string): string[] =>
            items
              .filter((item) => item.role === role)
              .map(({ content }) => textOf(content))
              .filter((text) => text !== '');
          const events = (...types: string[]): string[] =>
            session.events
              .filter(({ type }) => types.includes(type))
              .map(({ payload }) => textOf(payload.content ?? payload.summary))
              .filter((text) => text !== '');
          expect(said('assistant')).toEqual(events('message.assistant'));
          expect(said('user').sort()).toEqual(events('message.user', 'message.system', 'context.compacted').sort());
          const calls = session.events
            .filter(({ type }) => type === 'tool.call')
            .map(({ payload }) => payload.arguments);
          expect(
            items.flatMap((item) =>
              item.type === 'function_call'
                ? [JSON.parse(String(item.arguments))]
                : item.type === 'custom_tool_call'
                  ? [item.input]
                  : [],
            ),
          ).toEqual(calls.map(whole));
        });
      }),
      propertyRuns(60, 52),
    );
  });

  it('has numbered lines, times that never go back, and the same bytes when written again', async () => {
    await fc.assert(
      fc.asyncProperty(anySession, async (session) => {
        const bytes = await written(session, {}, (path) => {
          const lines = linesOf(path);
          expect(lines.map(({ ordinal }) => ordinal)).toEqual(lines.map((_, i) => i));
          expect(lines.map(({ timestamp }) => timestamp)).toEqual(lines.map(({ timestamp }) => timestamp).sort());
          return readFileSync(path, 'latin1').replaceAll(/"cwd":"[^"]*"/g, '');
        });
        expect(
          await written(session, {}, (path) => readFileSync(path, 'latin1').replaceAll(/"cwd":"[^"]*"/g, '')),
        ).toBe(bytes);
      }),
      propertyRuns(40, 53),
    );
  });

  it('is captured as what it was: prompts as prompts, notes as notes, calls, results, pictures', async () => {
    await fc.assert(
      fc.asyncProperty(anySession, versions, async (session, version) => {
        await written(session, { version, preface: 'Earlier.' }, async (path, options) => {
          const sink = new MemorySink();
          const source = unwrap(await recogniseRollout(path, options.env));
          const outcome = unwrap(
            await captureThread(source, null, sink, { env: options.env, redactionKey: new Uint8Array(32) }),
          );
          const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0);
          expect(outcome.mapped + sum(outcome.declared)).toBe(outcome.records);
          const [captured] = [...sink.sessions.values()];
          const found = captured!.events.flatMap(factOf);
          expect(found[0]).toMatch(/^note .*Earlier/);
          expect(found.slice(1)).toEqual(factsOf(session));
        });
      }),
      propertyRuns(60, 54),
    );
  });
});

describe('reading back', () => {
  const session = new TestSession();
  session.user('First.');
  session.call('r1', 'c');
  session.result('c', 'out');
  session.reply('r2', 'Last.');

  const damage: Record<string, (text: string) => string> = {
    'a changed text': (text) => text.replaceAll('"text":"First."', '"text":"Frist."'),
    'a changed argument': (text) => text.replace('run c', 'run x'),
    'a changed output': (text) => text.replace('"output":"out"', '"output":"tuo"'),
    'a lost line': (text) => text.replace(/^.*"function_call_output".*\n/m, ''),
    'a line twice': (text) => text.replace(/^.*"function_call_output".*\n/m, (line) => line + line),
    'a torn line': (text) => text.slice(0, -20),
    'another id': (text) => text.replaceAll('01a22791-bb90', '01a22791-bb91'),
  };
  for (const [what, change] of Object.entries(damage)) {
    it(`finds ${what}`, async () => {
      await written(session, {}, async (path, options) => {
        writeFileSync(path, change(readFileSync(path, 'utf8')));
        const result = await readBackRollout({ temp: '', final: path }, session.source(), options, 'final');
        expect(result).toMatchObject({ ok: false, error: { code: 'readback_mismatch' } });
      });
    });
  }

  it('counts the items of the conversation', async () => {
    await written(session, {}, async (path, options) => {
      expect(await readBackRollout({ temp: '', final: path }, session.source(), options, 'final')).toEqual({
        ok: true,
        value: { items: 4 },
      });
      appendFileSync(path, '{"timestamp":"2026-11-29T13:46:40.000Z","ordinal":99,"type":"world_state","payload":{}}\n');
      expect(await readBackRollout({ temp: '', final: path }, session.source(), options, 'final')).toMatchObject({
        ok: true,
      });
    });
  });

  it('fails when there is no file', async () => {
    const home = tempHome();
    expect(
      await readBackRollout({ temp: '/nowhere/x', final: '' }, session.source(), writeOptions(home.env), 'temp'),
    ).toMatchObject({ ok: false, error: { code: 'source_unreadable' } });
    home.dispose();
  });
});

/** Non-blank texts of native parts or of blocks. */
function textOf(content: unknown): string {
  return (content as { text?: string }[])
    .map(({ text }) => text?.toWellFormed() ?? '')
    .filter((text) => text.trim() !== '')
    .join('|');
}

function whole(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'string' ? inner.toWellFormed() : inner)),
  );
}

function factOf({ type, payload }: SessionEvent): string[] {
  const text =
    payload.content === undefined
      ? ''
      : (payload.content as ContentBlock[]).map((block) => (block.kind === 'text' ? block.text : block.kind)).join('|');
  if (type === 'message.user') return [`prompt ${text}`];
  if (type === 'message.system')
    return payload.to_model === true || text.startsWith('<handed') ? [`note ${text.replaceAll('\n', ' ')}`] : [];
  if (type === 'message.assistant') return [`reply ${text}`];
  if (type === 'message.thinking') return [`thinking ${String(payload.text)}`];
  if (type === 'tool.call') return [`call ${JSON.stringify(payload.arguments)}`];
  if (type === 'tool.result') return [`result ${text}`];
  return [];
}

/** What capture must find, from the model view alone: the order of an answer, results behind it, nothing blank. */
function factsOf(session: TestSession): string[] {
  const arranger = new Arranger(() => {});
  const steps = [...session.events.flatMap((event) => arranger.push(event)), ...arranger.end()];
  return steps.flatMap((step): string[] => {
    if (step.kind === 'call') return [`call ${JSON.stringify(whole(step.event.payload.arguments))}`];
    if (step.kind === 'output') return [`result ${String(outputOf(step.result, session.artifacts))}`];
    const text =
      step.kind === 'thinking'
        ? String(step.event.payload.text ?? '')
        : textOf(step.event.payload.content ?? step.event.payload.summary);
    const images = JSON.stringify(step.event.payload).includes('"image"') ? ['image'] : [];
    const shown = [...(text.trim() === '' ? [] : [text.toWellFormed()]), ...images].join('|');
    if (shown === '') return [];
    const kind = { prompt: 'prompt', context: 'note', summary: 'note', reply: 'reply', thinking: 'thinking' }[
      step.kind
    ];
    return [`${kind} ${kind === 'note' ? shown.replaceAll('\n', ' ') : shown}`];
  });
}
