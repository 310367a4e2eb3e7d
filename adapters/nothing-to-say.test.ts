import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adapters } from './registry.ts';
import { TestSession } from './testing/session.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sessionctl-nothing-'));
  mkdirSync(join(home, 'project'));
});
afterEach(() => rmSync(home, { recursive: true }));

const UUID = '01a22791-bb90-77e3-8fe5-30ec722705d2';
const AT = 1_795_960_000;

/** Reasoning of another provider and a summary without words: a target may show it, but there is nothing to go on with. */
describe('a session of which nothing reaches a model', () => {
  for (const { id, target, verified } of Object.values(adapters)) {
    if (target === undefined) continue;
    it(`is refused for ${id}, and nothing is left`, async () => {
      const session = new TestSession('another');
      session.thinking('r', 'a thought');
      session.summary('');
      const written = await target.write(session.source(), {
        env: { home, env: { HOME: home, PATH: '/nowhere' } },
        nativeId: target.nativeId?.(UUID, AT) ?? UUID,
        title: 'A title',
        cwd: join(home, 'project'),
        version: verified.versions[0] ?? null,
        at: AT,
        tokens: 1,
      });
      expect(written).toMatchObject({ ok: false, error: { code: 'no_conversation' } });
    });
  }
});
