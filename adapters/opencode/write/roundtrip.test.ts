import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/shared/errors.ts';
import type { ContentBlock, SessionEvent } from '../../../src/shared/events.ts';
import { Arranger } from '../../conversation/arrange.ts';
import { anySession } from '../../testing/arbitrary.ts';
import { modelView } from '../../testing/model-view.ts';
import { propertyRuns } from '../../testing/property-runs.ts';
import type { TestSession } from '../../testing/session.ts';
import { opencodeTarget } from '../target.ts';
import { AT, databaseHome, type TestHome, writeOptions } from '../testing/database.ts';
import { Captures } from '../testing/native.ts';

const RUNS = propertyRuns(60, 7);

let home: TestHome;
beforeAll(async () => {
  home = await databaseHome();
});
afterAll(() => home.dispose());

const BRANCH: ReadonlySet<string> = new Set(['message.user', 'message.assistant', 'tool.call', 'context.compacted']);

let count = 0;

/** Writes a session, captures it again, takes it back, and gives the events of its model view. */
async function there(session: TestSession): Promise<SessionEvent[] | null> {
  count++;
  const nativeId = opencodeTarget.nativeId!(`01a22791-bb90-77e3-8fe5-${String(count).padStart(12, '0')}`, AT);
  const options = writeOptions(home, { nativeId });
  const written = await opencodeTarget.write(session.source(), options);
  if (!written.ok && written.error.code === 'no_conversation') return null;
  const value = unwrap(written);
  unwrap(await opencodeTarget.readBack(value, session.source(), options, 'temp'));
  unwrap(await value.commit());
  unwrap(await opencodeTarget.readBack(value, session.source(), options, 'final'));
  const [captured] = await new Captures(home.env).next();
  unwrap(await opencodeTarget.remove(value, options));
  expect(captured!.outcome).toMatchObject({ unknown: {}, unreadable: 0 });
  // a log of notes alone has no branch: nothing of it was said by anybody
  const { events } = captured!;
  return events.some(({ type }) => BRANCH.has(type)) ? modelView(captured!.events) : events;
}

const textIn = (content: unknown): string =>
  ((content ?? []) as ContentBlock[])
    .flatMap((block) => (block.kind === 'text' && block.text.trim() !== '' ? [block.text.toWellFormed()] : []))
    .join('\n');

/** What must be there: what is said, calls, results, in the order in which a target holds them. */
function factsOf(events: readonly SessionEvent[]): string[] {
  const arranger = new Arranger(() => {});
  const steps = [...events.flatMap((event) => arranger.push(event)), ...arranger.end()];
  return steps.flatMap((step): string[] => {
    if (step.kind === 'thinking') return [];
    if (step.kind === 'call') {
      const args = step.event.payload.arguments;
      const input = typeof args === 'string' ? { input: args } : args;
      return [`call ${step.id} ${JSON.stringify(input).replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, '\ufffd')}`];
    }
    if (step.kind === 'output') return [`result ${step.id} ${textIn(step.result?.payload.content)}`];
    const { content, summary } = step.event.payload;
    const images = ((content ?? []) as ContentBlock[]).filter(({ kind }) => kind === 'image').map(() => 'image');
    const text = textIn(content ?? summary);
    return [...(text === '' ? [] : [`${step.kind === 'reply' ? 'reply' : 'said'} ${text}`]), ...images];
  });
}

const STANDS_IN = /^(result \S+ )(?:Not run: .*|\[The tool reported an error\])$/;

describe('any session, written and captured again', () => {
  it('says the same in the same order, with every call closed by its own result', async () => {
    await fc.assert(
      fc.asyncProperty(anySession, async (session) => {
        const view = await there(session);
        if (view === null) return;
        const found = factsOf(view).map((fact) => fact.replace(STANDS_IN, '$1'));
        expect(found).toEqual(factsOf(session.events));
        const ids = view.filter(({ type }) => type === 'tool.call').map(({ payload }) => String(payload.call_id));
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.every((id) => /^[A-Za-z0-9_-]{1,64}$/.test(id))).toBe(true);
        expect(view.filter(({ type }) => type === 'tool.result')).toHaveLength(ids.length);
      }),
      RUNS,
    );
  });
});
