import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFixture } from '../fixtures/load.ts';
import { unwrap } from '../src/shared/errors.ts';
import type { SessionEvent } from '../src/shared/events.ts';
import type { AgentEnv, CaptureOptions, SessionAdapter } from './contract.ts';
import { fileOf } from './io/database-path.ts';
import { adapters } from './registry.ts';
import { MemorySink } from './testing/memory-sink.ts';
import { modelView } from './testing/model-view.ts';
import { TestSession } from './testing/session.ts';

let env: AgentEnv;
beforeEach(() => {
  const home = mkdtempSync(join(tmpdir(), 'sessionctl-twice-'));
  mkdirSync(join(home, 'project'));
  env = { home, env: { HOME: home, PATH: '/nowhere' } };
});
afterEach(() => rmSync(env.home, { recursive: true }));

const UUID = '01a22791-bb90-77e3-8fe5-30ec722705d2';
const AT = 1_795_960_000;

/** Where the agent keeps a database, one of its own must be there. */
const HOMES: Record<string, string> = { hermes: 'simple-qa', opencode: '01-simple-qa' };

/** Everything beside prompts, replies and calls that a session tells its model and that is no other client's own. */
const TOLD = [
  'What the compiler chose.',
  'The story so far.',
  'Content of a.ts',
  'It printed 42.',
  'Agent 7 has ended.',
];

function told(): TestSession {
  const session = new TestSession('another');
  session.summary(TOLD[1]!);
  session.user('Go on.');
  for (const [i, about] of ['file', 'command_output', 'notice'].entries())
    session.event('message.system', {
      content: [{ kind: 'text', text: TOLD[i + 2] }],
      role: 'user',
      about,
      to_model: true,
    });
  session.reply('r', 'Done.');
  return session;
}

const targets = Object.values(adapters).filter(({ target }) => target !== undefined);

describe('a session that was handed over, and is handed over again', () => {
  for (const first of targets) {
    for (const second of targets) {
      if (second === first) continue;
      it(`tells ${second.id} by way of ${first.id} all that it told`, async () => {
        const events = modelView(await handOver(first));
        for (const text of TOLD) {
          const event = events.find(({ payload }) => JSON.stringify(payload).includes(text));
          expect(event && second.target!.carry(event, first.id), text).not.toMatchObject({ outcome: 'dropped' });
          expect(event, text).toBeDefined();
        }
      });
    }
  }
});

/** Writes it and captures it back by the agent's own adapter. */
async function handOver({ id, target, verified, ...adapter }: SessionAdapter): Promise<SessionEvent[]> {
  if (HOMES[id] !== undefined) await loadFixture(id, HOMES[id], env.home);
  const nativeId = target!.nativeId?.(UUID, AT) ?? UUID;
  const written = unwrap(
    await target!.write(told().source(), {
      env,
      nativeId,
      title: 'A title',
      cwd: join(env.home, 'project'),
      version: verified.versions[0] ?? null,
      at: AT,
      preface: TOLD[0]!,
      tokens: 1,
    }),
  );
  unwrap(await written.commit());
  const sink = new MemorySink();
  const options: CaptureOptions = { env, redactionKey: new Uint8Array(32) };
  const source = unwrap(await adapter.recognise(fileOf(written.final), env));
  if (source.database !== true) unwrap(await adapter.capture(source, null, sink, options));
  else {
    const opened = unwrap(await adapter.openDatabase!(source, null, { ...options, only: written.final }));
    unwrap(await opened.capture(opened.changed[0]!, null, sink, options));
    await opened.close();
  }
  return [...sink.sessions.values()][0]!.events;
}
