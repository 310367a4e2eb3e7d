import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/log/canonical-json.ts';
import type { AgentEnv } from '../../contract.ts';
import { PROPERTY_MS, propertyRuns } from '../../testing/property-runs.ts';
import { rebuildRecords } from '../rebuild.ts';
import { captureSource, talk, told, withHome } from '../testing/home.ts';
import { header, ID, lines, placeIn, reply, user } from '../testing/records.ts';
import { discoverSessions } from './discover.ts';
import type { Json } from './record.ts';

let env: AgentEnv;
let done: () => void;
beforeEach(async () => {
  await new Promise<void>((ready) => {
    void withHome(
      (made) =>
        new Promise<void>((resolve) => {
          env = made;
          done = resolve;
          ready();
        }),
    );
  });
});
afterEach(() => done());

const place = (name?: string, project?: string): string => placeIn(env, name, project);

describe('random damage', () => {
  it(
    'of lines: no failure, everything counted, every sound message kept',
    async () => {
      const records = [
        header(),
        ...Array.from({ length: 12 }, (_, n) =>
          n % 2 === 0 ? user(`u${n}`, `text ${n}`) : reply(`g${n}`, `text ${n}`),
        ),
      ];
      const path = place();
      const hit = fc.record({
        line: fc.nat(records.length - 1),
        at: fc.nat(),
        kind: fc.constantFrom('cut', 'zero', 'byte', 'glue', 'drop'),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(hit, { minLength: 1, maxLength: 6 }), async (hits) => {
          const byLine = new Map(hits.map((one) => [one.line, one]));
          const bytes = records.map((record, n) => {
            const what = byLine.get(n);
            const text = Buffer.from(`${JSON.stringify(record)}\n`);
            if (what === undefined) return text;
            const at = what.at % (text.length - 1);
            if (what.kind === 'drop') return Buffer.alloc(0);
            if (what.kind === 'glue') return text.subarray(0, -1);
            if (what.kind === 'cut') return Buffer.concat([text.subarray(0, at), Buffer.from('\n')]);
            if (what.kind === 'zero') text.fill(0, at, Math.min(at + 5, text.length - 1));
            else text[at] = 0xff;
            return text;
          });
          writeFileSync(path, Buffer.concat(bytes));
          const [source] = (await discoverSessions(env)).sources;
          const { outcome, session } = await captureSource(source!, env);
          expect(told(outcome)).toBe(outcome.records);
          const said = session === undefined ? [] : talk(session.events).join('\n');
          for (const [n, record] of records.entries())
            if (n > 0 && !byLine.has(n) && byLine.get(n - 1)?.kind !== 'glue')
              expect(said).toContain((record.content as string).at(-1) === undefined ? '' : `text ${n - 1}`);
        }),
        propertyRuns(150, 101),
      );
    },
    PROPERTY_MS,
  );

  it(
    'of a document: no failure, every message whose bytes are sound kept',
    async () => {
      const path = place(`session-2026-11-29T13-42-${ID.slice(0, 8)}.json`);
      const messages = Array.from({ length: 8 }, (_, n) => user(`u${n}`, `text-${n};`));
      const text = JSON.stringify({ ...header(), messages }, null, 2);
      const spans = messages.map((_, n) => text.indexOf(`"id": "u${n}"`));
      await fc.assert(
        fc.asyncProperty(
          fc.nat(text.length - 1),
          fc.constantFrom('"', '{', '}', '\\', '\0', ''),
          fc.boolean(),
          async (at, put, cut) => {
            writeFileSync(path, cut ? text.slice(0, at) : text.slice(0, at) + put + text.slice(at + 1));
            const [source] = (await discoverSessions(env)).sources;
            const { outcome, session } = await captureSource(source!, env);
            expect(told(outcome)).toBe(outcome.records);
            const said = session === undefined ? '' : talk(session.events).join('\n');
            if (at < spans[0]! - 60) return;
            for (const [n] of messages.entries()) {
              const end = n + 1 < spans.length ? spans[n + 1]! - 14 : text.length - 6;
              if (end < at || (!cut && spans[n]! - 13 > at)) expect(said).toContain(`text-${n};`);
            }
          },
        ),
        propertyRuns(150, 102),
      );
    },
    PROPERTY_MS,
  );

  it(
    'of shapes: records of any form are kept or told',
    async () => {
      const anything = fc.jsonValue({ maxDepth: 2 });
      const part = fc.oneof(
        anything,
        fc.record({ text: anything }),
        fc.record({ functionCall: fc.record({ id: anything, name: anything, args: anything }) }),
        fc.record({ functionResponse: fc.record({ id: anything, response: anything }) }),
        fc.record({ inlineData: fc.record({ mimeType: anything, data: anything }) }),
      );
      const message = fc.record(
        {
          id: fc.constantFrom('a', 'b', 'c'),
          type: fc.constantFrom('user', 'gemini', 'info', 'other'),
          timestamp: anything,
          content: fc.oneof(anything, fc.array(part, { maxLength: 3 })),
          thoughts: fc.oneof(
            anything,
            fc.array(fc.record({ subject: anything, description: anything }), { maxLength: 2 }),
          ),
          tokens: anything,
          toolCalls: fc.oneof(
            anything,
            fc.array(fc.record({ id: anything, name: anything, args: anything, result: anything, status: anything }), {
              maxLength: 2,
            }),
          ),
        },
        { requiredKeys: ['id', 'type'] },
      );
      const record = fc.oneof(
        message,
        fc.record({
          $set: fc.oneof(
            anything,
            fc.record({ messages: fc.array(fc.oneof(message, anything), { maxLength: 4 }), summary: anything }),
          ),
        }),
        fc.record({ $rewindTo: fc.constantFrom('a', 'b', 'z') }),
        fc.record({
          sessionId: fc.constant(ID),
          projectHash: fc.constant('h'),
          messages: fc.oneof(anything, fc.array(message, { maxLength: 3 })),
        }),
        fc.dictionary(fc.string(), anything),
      );
      const path = place();
      await fc.assert(
        fc.asyncProperty(fc.array(record, { maxLength: 10 }), async (records) => {
          writeFileSync(path, lines(...(records as Json[])));
          const [source] = (await discoverSessions(env)).sources;
          const { outcome, session, sink } = await captureSource(source!, env);
          expect(told(outcome)).toBe(outcome.records);
          if (session === undefined) return;
          const native = records.map((one) => canonicalJson(JSON.parse(JSON.stringify(one)) as Json));
          for await (const { line, record: rebuilt } of rebuildRecords(session.events, sink.read))
            expect(canonicalJson(rebuilt)).toBe(native[line]);
        }),
        propertyRuns(150, 103),
      );
    },
    PROPERTY_MS,
  );
});
