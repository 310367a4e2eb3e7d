import { realpathSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/shared/errors.ts';
import type { ContentBlock, SessionEvent } from '../../../src/shared/events.ts';
import { Arranger } from '../../conversation/arrange.ts';
import { STANDING_IN } from '../../conversation/stand-in.ts';
import { anySession } from '../../testing/arbitrary.ts';
import { modelView } from '../../testing/model-view.ts';
import { PROPERTY_MS, propertyRuns } from '../../testing/property-runs.ts';
import type { TestSession } from '../../testing/session.ts';
import { claude } from '../adapter.ts';
import { soundChain } from '../testing/chain.ts';
import { accounted, captureAll, withHome } from '../testing/fixtures.ts';
import { OPENING_NOTE } from './lines.ts';
import { claudeTarget } from './target.ts';

const OPTIONS = {
  nativeId: '01a22791-bb90-77e3-8fe5-30ec722705d2',
  title: 'A title',
  cwd: '/home/dev/project',
  version: '2.1.332',
  at: 1_795_960_000,
  tokens: 1234,
};

/** What is said in a content, one entry a block; blank text is not carried. */
function said(content: unknown): string[] {
  return ((content ?? []) as ContentBlock[]).flatMap((block) => {
    if (block.kind !== 'text') return [block.kind];
    return block.text.trim() === '' ? [] : [block.text.toWellFormed()];
  });
}

/** Arguments as Claude Code has them: an object, of whole characters. */
const whole = (value: unknown): string =>
  JSON.stringify(typeof value === 'string' ? { input: value } : value, (_, inner: unknown) =>
    typeof inner === 'string' ? inner.toWellFormed() : inner,
  );

/** What must come back: everything but thinking of others, notes that Claude Code makes itself, and what nothing was said in. */
function given(session: TestSession): string[] {
  const arranger = new Arranger(() => {});
  const steps = [...session.events.flatMap((event) => arranger.push(event)), ...arranger.end()];
  return steps.flatMap((step) => {
    if (step.kind === 'thinking' || step.kind === 'context') return [];
    if (step.kind === 'call') return [`call ${step.id} ${whole(step.event.payload.arguments)}`];
    if (step.kind === 'output') return [`result ${step.id}`, ...said(step.result?.payload.content)];
    return said(step.event.payload.content ?? step.event.payload.summary);
  });
}

function found(view: readonly SessionEvent[]): string[] {
  return view.flatMap(({ type, payload }) => {
    const { call_id, content, summary } = payload;
    if (type === 'tool.call') return [`call ${call_id} ${JSON.stringify(payload.arguments)}`];
    if (type === 'tool.result') return [`result ${call_id}`, ...said(content).filter((text) => !STANDING_IN.has(text))];
    return said(content ?? summary).filter((text) => text !== OPENING_NOTE);
  });
}

describe('any session, written and captured again', () => {
  it(
    'says the same in the same order, with every call closed by its own result',
    async () => {
      await fc.assert(
        fc.asyncProperty(anySession, (session) =>
          withHome(async (folder) => {
            const home = realpathSync(folder);
            const written = await claudeTarget.write(session.source(), { ...OPTIONS, env: { home, env: {} } });
            if (!written.ok) {
              expect(written.error.code).toBe('no_conversation');
              return;
            }
            unwrap(await written.value.commit());
            const [source] = (await claude.discover({ home, env: {} })).sources;
            const { main, outcome } = await captureAll(source!, home);
            expect(accounted(outcome)).toBe(outcome.records);
            expect(main!.warnings).toEqual([]);
            expect(found(modelView(main!.events))).toEqual(given(session));
          }),
        ),
        propertyRuns(60, 58),
      );
    },
    PROPERTY_MS,
  );
});

const SIGNATURE = 'c2lnbmF0dXJl'.repeat(5);

describe('any session, of Claude Code and another agent', () => {
  it(
    'is written as one chain with closed pairs and reads back as it was carried',
    () =>
      withHome(async (folder) => {
        const home = realpathSync(folder);
        let n = 0;
        await fc.assert(
          fc.asyncProperty(
            anySession,
            fc.option(fc.string({ unit: 'binary' }), { nil: undefined }),
            async (session, preface) => {
              for (const [index, event] of session.events.entries()) {
                event.agent = index % 2 === 0 ? 'claude' : 'codex';
                if (event.type === 'message.thinking') event.payload.opaque = SIGNATURE;
              }
              const front = preface === undefined ? {} : { preface };
              const options = { ...OPTIONS, ...front, env: { home, env: {} }, nativeId: `id-${n++}` };
              const source = session.source();
              const written = await claudeTarget.write(source, options);
              if (!written.ok) {
                expect(written.error.code).toBe('no_conversation');
                return;
              }
              expect(await claudeTarget.readBack(written.value, source, options, 'temp')).toMatchObject({ ok: true });
              soundChain(written.value.temp);
              await written.value.abort();
            },
          ),
          propertyRuns(150, 57),
        );
      }),
    PROPERTY_MS,
  );
});
