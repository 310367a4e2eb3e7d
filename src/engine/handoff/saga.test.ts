import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentEnv, SessionAdapter, TargetAdapter, Written } from '../../../adapters/contract.ts';
import { type AppError, fail, ok, type Result, unwrap } from '../../shared/errors.ts';
import type { SagaProgress } from '../../shared/handoff.ts';
import { seedSession, type TestStore, testStore } from '../bundle/testing.ts';
import type { EngineContext, OpenHome } from '../procedures/context.ts';
import { execute } from './execute.ts';

const broken = (code: AppError['code']): Result<never> => fail(code, 'It did not work.');

/** A target that keeps its sessions in memory and fails where it is told to. */
class FakeTarget {
  readonly files = new Map<string, string>();
  failing: 'write' | 'readBack' | 'commit' | 'register' | 'remove' | null = null;
  /** `remove` fails once something else has */
  stuck = false;

  adapter(): SessionAdapter {
    const no = async () => broken('internal');
    const target: TargetAdapter = {
      window: async () => ({
        model: null,
        window: 100_000,
        reserve: 1000,
        tokenizer: 'o200k_base',
        factor: 1,
        basis: '',
      }),
      shape: (_version, _env, id) => ({ name: 'fake session', files: [`/nowhere/${id}`] }),
      carry: () => ({ outcome: 'kept', how: 'kept' }),
      write: async (session, options) => {
        if (this.failing === 'write') return broken('write_failed');
        let text = '';
        for await (const event of session.model()) text += `${event.type}\n`;
        return ok(this.written(`/nowhere/${options.nativeId}`, text));
      },
      readBack: async () => (this.failing === 'readBack' ? broken('readback_mismatch') : ok({ items: 1 })),
      register: async () => (this.failing === 'register' ? broken('register_failed') : ok([])),
      remove: async ({ final }) => {
        if (this.stuck) return broken('write_failed');
        this.files.delete(final);
        return ok([]);
      },
    };
    return {
      id: 'codex',
      label: 'Fake',
      verified: { versions: ['1'], on: '2026-11-29' },
      discover: async () => ({ roots: [], sources: [], warnings: [] }),
      recognise: no,
      capture: no,
      resume: ({ native_id }) => ({ argv: ['fake', native_id], cwd: null, text: `fake ${native_id}` }),
      installed: async () => ({ path: '/fake', version: '1' }),
      target,
    };
  }

  private written(final: string, text: string): Written {
    return {
      temp: import.meta.filename,
      final,
      bytes: text.length,
      sha256: 'f'.repeat(64),
      warnings: [],
      commit: async () => {
        if (this.failing === 'commit') return broken('target_exists');
        this.files.set(final, text);
        return ok(undefined);
      },
      abort: async () => {},
    };
  }
}

let test: TestStore;
let target: FakeTarget;
let id: string;
let told: SagaProgress[];
let run: (operation?: string) => ReturnType<typeof execute>;

beforeEach(async () => {
  test = await testStore();
  id = await seedSession(test.store);
  target = new FakeTarget();
  told = [];
  const adapter = target.adapter();
  const env: AgentEnv = { home: '/nowhere', env: {} };
  const context = {
    options: {},
    agents: { env, adapter: () => ok(adapter), installed: () => adapter.installed(env) },
    emit: (event: { topic: string; progress: SagaProgress }) =>
      void (event.topic === 'handoff' && told.push(event.progress)),
  } as unknown as EngineContext;
  const capture = { import: async () => broken('not_a_session') };
  const home = { store: test.store, capture, keys: { redaction: new Uint8Array(32) } } as unknown as OpenHome;
  const input = { session: id, to: 'codex', cwd: '/' };
  run = (operation_id = 'op') => execute(context, home, { ...input, operation_id }, new AbortController().signal);
});
afterEach(() => test.close());

const stateOf = async (operation = 'op') => (await test.store.reader.operation(operation))?.state;

describe('a handoff whose target fails', () => {
  for (const [failing, step, code] of [
    ['write', 'write', 'write_failed'],
    ['readBack', 'readback', 'readback_mismatch'],
    ['commit', 'rename', 'target_exists'],
    ['register', 'register', 'register_failed'],
  ] as const) {
    it(`at ${failing}: takes back what was made, says so, and can be done after all`, async () => {
      target.failing = failing;
      const failed = await run();
      expect(failed).toMatchObject({ ok: false, error: { code, details: { operation: 'op', left: [] } } });
      expect(told.slice(-2)).toMatchObject([
        { step, state: 'failed' },
        { step, state: 'removed' },
      ]);
      expect([...target.files]).toEqual([]);
      expect(await stateOf()).toBe('failed');
      expect((await test.store.reader.receipts({ offset: 0, limit: 1 })).total).toBe(0);
      expect((await test.store.reader.session(id))!.children.length).toBeLessThanOrEqual(1);

      target.failing = null;
      const done = unwrap(await run());
      expect(done).toMatchObject({ replayed: false, warnings: [{ about: 'not-read-yet' }] });
      expect([...target.files.keys()]).toEqual(done.files);
      expect(await stateOf()).toBe('done');
      expect(await test.store.reader.verify(id)).toMatchObject({ ok: true });
    });
  }

  it('and cannot be taken back: asks for the same operation id, which then goes on from there', async () => {
    target.failing = 'register';
    target.stuck = true;
    const failed = await run();
    expect(failed).toMatchObject({
      ok: false,
      error: { code: 'recovery_required', details: { operation: 'op', cause: 'register_failed' } },
    });
    expect(await stateOf()).toBe('running');
    target.failing = null;
    target.stuck = false;
    unwrap(await run());
    expect(target.files.size).toBe(1);
  });
});

describe('handoffs that nobody repeats', () => {
  it('are cleared away by the next one', async () => {
    target.failing = 'register';
    target.stuck = true;
    await run('left');
    target.failing = null;
    target.stuck = false;
    const other = unwrap(await run('other'));
    expect(await stateOf('left')).toBe('failed');
    expect([...target.files.keys()]).toEqual(other.files);
  });
});
