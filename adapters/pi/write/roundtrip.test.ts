import { readFileSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadFixture } from '../../../fixtures/load.ts';
import { unwrap } from '../../../src/shared/errors.ts';
import type { ContentBlock, SessionEvent } from '../../../src/shared/events.ts';
import type { AgentEnv, MaterializeOptions, SessionSource } from '../../contract.ts';
import { Arranger, type Step } from '../../conversation/arrange.ts';
import { toolName } from '../../conversation/ids.ts';
import { json } from '../../conversation/json.ts';
import { failed } from '../../conversation/stand-in.ts';
import { anySession } from '../../testing/arbitrary.ts';
import { modelView } from '../../testing/model-view.ts';
import { propertyRuns } from '../../testing/property-runs.ts';
import { TestSession } from '../../testing/session.ts';
import { discoverSessions, recogniseSession } from '../read/discover.ts';
import { type Captured, captureSource, withHome } from '../testing/fixtures.ts';
import { linesOf, writeOptions } from '../testing/home.ts';
import { readBackChain } from './readback.ts';
import { writeChain } from './write.ts';

const SEED = 20_261_129;

/** Writes a session, reads it back, puts it in place and hands it to `look`; null = nothing to write. */
function written<T>(
  session: SessionSource,
  more: Partial<MaterializeOptions>,
  look: (path: string, env: AgentEnv) => Promise<T> | T,
): Promise<T | null> {
  return withHome(async ({ home }) => {
    const env = { home, env: {} };
    const options = writeOptions(env, more);
    const result = await writeChain(session, options);
    if (!result.ok && result.error.code === 'no_conversation') return null;
    const value = unwrap(result);
    expect(await readBackChain(value, session, options, 'temp')).toMatchObject({ ok: true });
    unwrap(await value.commit());
    return look(value.final, env);
  });
}

async function captureFile(path: string, env: AgentEnv): Promise<Captured> {
  return captureSource(unwrap(await recogniseSession(path, env)), env);
}

const texts = (content: unknown): string[] =>
  ((content ?? []) as ContentBlock[]).flatMap((block) => {
    if (block.kind === 'text') return block.text.trim() === '' ? [] : [block.text.toWellFormed()];
    return block.kind === 'image' ? [`[${block.bytes} bytes]`] : [];
  });

/** What a captured session must say, from the steps that were to be written. */
function expected(session: TestSession): string[] {
  const arranger = new Arranger(() => {});
  const steps: Step[] = [...session.events.flatMap((event) => arranger.push(event)), ...arranger.end()];
  let any = false;
  return steps.flatMap((step): string[] => {
    if (step.kind === 'context' || step.kind === 'thinking') return [];
    const said = lines(step, any);
    any ||= said.length > 0;
    return said;
  });
}

function lines(step: Step, any: boolean): string[] {
  if (step.kind === 'call') {
    const { name, arguments: args } = step.event.payload;
    return [`call ${step.id} ${toolName(String(name))} ${json(typeof args === 'object' ? args : { input: args })}`];
  }
  if (step.kind === 'output') {
    const said = texts(step.result?.payload.content);
    const words = said.length > 0 || step.result?.payload.closed === 'ran' ? said.join('|') : '(stand-in)';
    return [
      `result ${step.id} ${failed(step.result)}: ${said.length === 0 && failed(step.result) ? '(stand-in)' : words}`,
    ];
  }
  if (step.kind === 'reply') return texts(step.event.payload.content).map((words) => `reply: ${words}`);
  const words = texts(step.event.payload.content ?? step.event.payload.summary).join('|');
  if (words === '') return [];
  return step.kind === 'summary' ? [`${any ? 'note' : 'summary'}: ${words}`] : [`prompt: ${words}`];
}

const STANDS_IN = /^(Not run: |\[The tool reported an error\])/;

function found(events: readonly SessionEvent[]): string[] {
  return events.flatMap(({ type, payload }): string[] => {
    const words = texts(payload.content ?? payload.summary).join('|');
    switch (type) {
      case 'message.user':
        return [`prompt: ${words}`];
      case 'message.system':
        return [`note: ${words}`];
      case 'context.compacted':
        return [`summary: ${words}`];
      case 'message.assistant':
        return [`reply: ${words}`];
      case 'tool.call':
        return [`call ${String(payload.call_id)} ${String(payload.name)} ${json(payload.arguments)}`];
      case 'tool.result':
        return [
          `result ${String(payload.call_id)} ${String(payload.is_error)}: ${STANDS_IN.test(words) ? '(stand-in)' : words}`,
        ];
      default:
        return [`? ${type}`];
    }
  });
}

describe('any session, written', () => {
  it('is captured as what it was: same texts, same order, every call with its result', async () => {
    await fc.assert(
      fc.asyncProperty(anySession, async (session) => {
        await written(session.source(), {}, async (path, env) => {
          const captured = await captureFile(path, env);
          expect(captured.warnings).toEqual([]);
          expect(captured.outcome).toMatchObject({ unknown: {}, unreadable: 0 });
          expect(found(modelView(captured.events))).toEqual(expected(session));
        });
      }),
      propertyRuns(60, SEED),
    );
  });

  it('is one chain of entries with ids of their own and times that never go back, the same when written again', async () => {
    await fc.assert(
      fc.asyncProperty(anySession, async (session) => {
        const source = session.source();
        const first = await written(source, {}, (path) => {
          const [header, ...entries] = linesOf(path);
          expect(header).toMatchObject({ type: 'session', version: 3 });
          expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
          expect(entries.map(({ parentId }) => parentId)).toEqual([null, ...entries.slice(0, -1).map(({ id }) => id)]);
          const times = entries.map(({ timestamp }) => timestamp);
          expect(times).toEqual(times.toSorted());
          expect(statSync(path).mode & 0o777).toBe(0o600);
          return readFileSync(path, 'latin1');
        });
        expect(await written(source, {}, (path) => readFileSync(path, 'latin1'))).toBe(first);
      }),
      propertyRuns(60, SEED),
    );
  });

  it('pairs every call with one result, before anything else is said', async () => {
    await fc.assert(
      fc.asyncProperty(anySession, async (session) => {
        await written(session.source(), {}, (path) => {
          const open = new Set<string>();
          const seen = new Set<string>();
          for (const { type, message } of linesOf(path)) {
            const { role, content, toolCallId } = (message ?? {}) as Record<string, unknown>;
            if (role === 'toolResult') expect(open.delete(String(toolCallId))).toBe(true);
            else if (type === 'message' || type === 'custom_message') expect(open.size).toBe(0);
            if (role !== 'assistant') continue;
            for (const block of content as Record<string, unknown>[]) {
              if (block.type !== 'toolCall') continue;
              const id = String(block.id);
              expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
              expect(seen.has(id)).toBe(false);
              seen.add(id);
              open.add(id);
            }
          }
          expect(open.size).toBe(0);
        });
      }),
      propertyRuns(60, SEED),
    );
  });
});

describe("Pi's own sessions, handed over to Pi", () => {
  for (const name of [
    '03-thinking-anthropic',
    '03b-thinking-responses',
    '03c-thinking-completions',
    '07-compaction',
    '08-images',
    '13-parallel-tools',
    '10-extension-entries',
  ])
    it(`${name}: says the same to the model, reasoning included`, async () => {
      await withHome(async (env) => {
        await loadFixture('pi', name, env.home);
        const [source] = (await discoverSessions(env)).sources;
        const captured = await captureSource(source!, env);
        const view = modelView(captured.events);
        const session: SessionSource = {
          row: { ...new TestSession('pi').source().row, agent: 'pi' },
          async *model() {
            yield* view;
          },
          artifact: captured.sink.read,
        };
        await written(session, {}, async (path, other) => {
          const again = modelView((await captureFile(path, other)).events);
          const told = (events: readonly SessionEvent[]) =>
            events.map(({ type, payload }) => [
              type,
              texts(payload.content ?? payload.summary),
              payload.text,
              payload.opaque,
              payload.provider,
              payload.model ?? 'unknown',
              payload.arguments,
              payload.call_id,
            ]);
          expect(told(again)).toEqual(told(view));
          expect((await stat(path)).size).toBeGreaterThan(500);
        });
      });
    });
});
