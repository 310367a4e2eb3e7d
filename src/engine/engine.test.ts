import { appendFile, mkdtemp, readdir, readFile, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AGENTS } from '../shared/agents.ts';
import { type AppEvent, infoSchema, jobSchema, type ProcedureName, procedures, sourceSchema } from '../shared/api.ts';
import { ok, unwrap } from '../shared/errors.ts';
import { type Engine, openEngine } from './engine.ts';
import { type Lab, makeLab } from './handoff/testing.ts';
import type { SecretStore } from './keys/secret-store.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function lab(...args: Parameters<typeof makeLab>): Promise<Lab> {
  const made = await makeLab(...args);
  closing.push(made.close);
  return made;
}

async function bare(): Promise<{ engine: Engine; home: string }> {
  const home = await mkdtemp(join(tmpdir(), 'engine-bare-'));
  const agents = { home, env: { HOME: home, PATH: '/nowhere' } };
  const engine = openEngine({ home: join(home, '.sessionctl'), agents, host: 'cli', version: 'test' });
  closing.push(async () => {
    await engine.close();
    await rm(home, { recursive: true, force: true });
  });
  return { engine, home };
}

/** A valid input for each procedure that needs a store. */
const INPUTS: Partial<Record<ProcedureName, object>> = {
  'sources.set': { agent: 'claude', enabled: true },
  'import.start': {},
  'sessions.list': {},
  'sessions.get': { id: 'x' },
  'sessions.lineage': { id: 'x' },
  'sessions.files': { id: 'x' },
  'sessions.fork': { id: 'x', at_seq: 0 },
  'sessions.checkpoint': { id: 'x' },
  'transcript.open': { id: 'x' },
  'transcript.rows': { id: 'x', from: 0, limit: 1 },
  'transcript.locate': { id: 'x', seq: 0 },
  'events.get': { id: 'x', seq: 0 },
  'artifacts.get': { hash: 'x' },
  'compile.run': { session: 'x', for: 'codex' },
  'handoff.preflight': { session: 'x', to: 'codex' },
  'handoff.execute': { session: 'x', to: 'codex', operation_id: 'x' },
  'handoff.undo': { operation_id: 'x' },
  'resume.command': { id: 'x' },
  'receipts.list': {},
  'receipts.get': { id: 'x' },
  'receipts.verify': { id: 'x' },
  'verify.session': { id: 'x' },
};

describe('a home that was never initialised', () => {
  it('says so wherever a store is needed, makes nothing, and still shows what is here', async () => {
    const { engine, home } = await bare();
    for (const [name, input] of Object.entries(INPUTS)) {
      const result = await engine.call(name as ProcedureName, input as never);
      expect({ name, code: result.ok ? null : result.error.code }).toEqual({ name, code: 'store_uninitialised' });
    }
    const info = unwrap(await engine.call('app.info', {}));
    expect(infoSchema.parse(info)).toMatchObject({
      initialised: false,
      keys: { kind: 'none' },
      agents: AGENTS.map((id) => ({ id })),
    });
    for (const source of unwrap(await engine.call('sources.list', {})))
      expect(sourceSchema.parse(source)).toMatchObject({ enabled: false });
    expect(await readdir(home)).toEqual([]);
  });

  it('is ready after first run, in the same engine', async () => {
    const { engine } = await bare();
    expect(unwrap(await engine.call('app.init', { keyfile: true }))).toMatchObject({
      keys: { kind: 'keyfile' },
      recovery_key: expect.any(String),
    });
    expect(unwrap(await engine.call('sessions.list', {})).total).toBe(0);
    expect(unwrap(await engine.call('app.info', {}))).toMatchObject({ initialised: true, sessions: 0 });
  });
});

describe('a call', () => {
  it('is checked by the contract before anything is done', async () => {
    const { engine } = await bare();
    expect(await engine.call('sessions.list', { limit: -1 } as never)).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', details: { path: ['limit'] } },
    });
    expect(await engine.call('no.such' as never, {} as never)).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
    expect(await engine.call('app.info', {}, AbortSignal.abort())).toMatchObject({
      ok: false,
      error: { code: 'cancelled' },
    });
    expect(await engine.call('sample.start', {})).toMatchObject({ ok: false, error: { code: 'target_unsupported' } });
  });

  it('answers in the shape of the contract', async () => {
    const { engine, session } = await lab(['tools']);
    const asked: [ProcedureName, object][] = [
      ['app.info', {}],
      ['sources.list', {}],
      ['jobs.list', {}],
      ['sessions.list', {}],
      ['sessions.get', { id: session.native_id }],
      ['sessions.lineage', { id: session.id }],
      ['sessions.files', { id: session.id }],
      ['transcript.open', { id: session.id }],
      ['transcript.rows', { id: session.id, from: 2, limit: 3 }],
      ['transcript.locate', { id: session.id, seq: 9 }],
      ['events.get', { id: session.id, seq: 9 }],
      ['compile.run', { session: session.id, for: 'codex' }],
      ['resume.command', { id: session.id }],
      ['receipts.list', {}],
      ['verify.session', { id: session.id }],
    ];
    for (const [name, input] of asked) {
      const value = unwrap(await engine.call(name, input as never));
      expect({ name, value: procedures[name].output.parse(value) }).toEqual({ name, value });
    }
    expect(unwrap(await engine.call('sessions.files', { id: session.id })).map(({ path }) => path)).toContain(
      '/home/dev/cld/work/invoice/invoice/parser.py',
    );
  });
});

describe('an import job', () => {
  it('starts at once, is told by events until its end, and is remembered', async () => {
    const { engine } = await lab(['simple-qa']);
    const seen: AppEvent[] = [];
    const ended = new Promise<AppEvent>((resolve) => {
      engine.subscribe((event) => {
        seen.push(event);
        if (event.topic === 'job' && event.job.state !== 'running') resolve(event);
      });
    });
    const job = unwrap(await engine.call('import.start', {}));
    expect(jobSchema.parse(job)).toMatchObject({ kind: 'import', state: 'running' });
    expect(await ended).toMatchObject({ job: { id: job.id, state: 'done' } });
    expect(unwrap(await engine.call('jobs.list', {}))).toMatchObject([{ id: job.id, state: 'done' }]);
    expect(await engine.call('jobs.cancel', { id: 'none' })).toMatchObject({ ok: false, error: { code: 'not_found' } });
  });
});

describe('an engine that watches', () => {
  it('tells what an agent writes, and what another process puts into the store', async () => {
    const made = await lab(['simple-qa']);
    const watcher = openEngine({ ...made.options, watch: true });
    closing.unshift(() => watcher.close());
    const seen: AppEvent[] = [];
    const told = (test: (event: AppEvent) => boolean): Promise<void> =>
      new Promise((resolve) => {
        if (seen.some(test)) resolve();
        watcher.subscribe((event) => test(event) && resolve());
      });
    watcher.subscribe((event) => seen.push(event));
    unwrap(await watcher.call('app.info', {}));
    await told((event) => event.topic === 'sources');
    expect(unwrap(await watcher.call('app.info', {})).watching).toBe(true);

    const text = await readFile(made.session.source!, 'utf8');
    await appendFile(
      made.session.source!,
      `${text
        .trimEnd()
        .split('\n')
        .at(-1)!
        .replaceAll(/"uuid":"[0-9a-f]{8}/g, '"uuid":"abcdef01')}\n`,
    );
    await told((event) => event.topic === 'session' && event.id === made.session.id);

    const input = { session: made.session.id, to: 'codex', cwd: made.project, operation_id: 'op' };
    const { new_session, receipt } = unwrap(await made.engine.call('handoff.execute', input));
    await told((event) => event.topic === 'session' && event.id === new_session);
    await told((event) => event.topic === 'receipt' && event.id === receipt);
  });
});

describe('what lies on disk', () => {
  const memory = (): SecretStore => {
    const secrets = new Map<string, string>();
    return {
      get: async (account) => ok(secrets.get(account) ?? null),
      set: async (account, secret) => ok(void secrets.set(account, secret)),
    };
  };

  for (const [where, keychain] of [
    ['a keychain', memory()],
    ['a key file', undefined],
  ] as const) {
    it(`holds no word of any session in clear text, with ${where}`, async () => {
      const made = await lab(
        ['tools', 'simple-qa-zh'],
        keychain ? { keychain } : {},
        keychain ? { kind: 'auto' } : { kind: 'keyfile' },
      );
      unwrap(
        await made.engine.call('handoff.execute', {
          session: made.session.id,
          to: 'codex',
          cwd: made.project,
          operation_id: 'op',
          note: 'NOTE-OF-MINE',
        }),
      );
      unwrap(await made.engine.call('compile.run', { session: made.session.id, for: 'codex' }));
      const words = [
        'parse_amount',
        'thousands',
        'invoice',
        'NOTE-OF-MINE',
        made.session.native_id,
        made.session.id,
        'claude',
        'handoff',
        made.home,
      ];
      const check = async (): Promise<void> => {
        const files = await made.files('.sessionctl');
        expect(files.length).toBeGreaterThan(1);
        for (const file of files) {
          const bytes = await readFile(join(made.home, '.sessionctl', file));
          for (const word of words)
            expect({ file, word, found: bytes.includes(word) }).toEqual({ file, word, found: false });
        }
      };
      await check();
      await made.engine.close();
      await check();
    });
  }

  it('is told from an empty store when the key is gone', async () => {
    const made = await lab(['simple-qa']);
    await made.engine.close();
    const [key] = (await made.files('.sessionctl')).filter((name) => name.endsWith('.key'));
    await unlink(join(made.home, '.sessionctl', key!));
    const again = openEngine(made.options);
    for (const name of ['app.info', 'sessions.list', 'sources.list'] as const) {
      expect(await again.call(name, {})).toMatchObject({ ok: false, error: { code: 'key_missing' } });
    }
    expect(await again.call('app.init', { keyfile: true })).toMatchObject({
      ok: false,
      error: { code: 'key_missing' },
    });
    await again.close();
  });
});
