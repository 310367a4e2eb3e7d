import type { AppEvent, Bridge, Input, Job, Output, ProcedureName, SourceInfo } from '../../shared/api.ts';
import { AppFailure, type ErrorCode, fail, ok, toAppError } from '../../shared/errors.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { TranscriptRow } from '../../shared/transcript.ts';
import { sampleGraph } from './sample-family.ts';
import { sampleFound } from './sample-found.ts';
import { SAGA, samplePlan, sampleReceipts, sampleResult } from './sample-handoff.ts';
import { jumpsOf, moreRow, SAMPLE_IMAGE, sampleRows } from './sample-rows.ts';
import { now, sampleInfo, sampleKin, sampleSessions, sampleSources } from './samples.ts';

export interface FakeOptions {
  initialised?: boolean;
  sessions?: number;
  rows?: number;
  receipts?: number;
  /** the handoff fails at this step */
  failAt?: string;
  /** the session does not fit the target's window */
  tooLong?: boolean;
  /** milliseconds of each saga step; 0 does all at once */
  pace?: number;
  locked?: boolean;
}

/** What a test can do to the fake that a person or an agent would do to the real one. */
export interface FakeBridge extends Bridge {
  append(count: number): void;
  emit(event: AppEvent): void;
}

type Handlers = { [N in ProcedureName]?: (input: Input<N>, signal?: AbortSignal) => Output<N> | Promise<Output<N>> };

const refuse = (code: ErrorCode, message: string, details?: Record<string, unknown>): never => {
  throw new AppFailure({ code, message, ...(details ? { details } : {}) });
};
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A bridge to an engine that is not there: made-up data in memory. Never part of the app's bundle. */
export function createFakeBridge(options: FakeOptions = {}): FakeBridge {
  const listeners = new Set<(event: AppEvent) => void>();
  const emit = (event: AppEvent) => {
    for (const listener of listeners) listener(event);
  };
  const state = {
    initialised: options.initialised ?? true,
    sessions: sampleSessions(options.sessions ?? 1776),
    kin: sampleKin(),
    rows: new Map<string, TranscriptRow[]>(),
    sources: sampleSources(),
    jobs: [] as Job[],
    receipts: sampleReceipts(options.receipts ?? 212),
  };
  const handlers = {
    ...listHandlers(state, options),
    ...handoffHandlers(state, options, emit),
    ...setupHandlers(state, emit),
  };
  return {
    host: 'web',
    async call(name, input, signal) {
      try {
        const handler = handlers[name] as ((input: unknown, signal?: AbortSignal) => unknown) | undefined;
        if (!handler) return fail('internal', `The fake has no ${name}.`);
        if (options.locked) refuse('key_locked', 'The system keychain did not give the key: access was refused.');
        // A round trip, so that nothing in the app counts on an answer in the same tick.
        await wait(0);
        return ok(await handler(input, signal)) as never;
      } catch (thrown) {
        return { ok: false, error: toAppError(thrown) };
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    artifactUrl: () => null,
    emit,
    append(count) {
      const rows = rowsOf(state, options, 's1');
      for (let i = 0; i < count; i += 1) rows.push(moreRow(rows.length));
      emit({ topic: 'session', id: 's1', change: 'appended', head_seq: rows.at(-1)?.seq ?? 0 });
    },
  };
}

interface State {
  initialised: boolean;
  sessions: SessionRow[];
  kin: SessionRow[];
  rows: Map<string, TranscriptRow[]>;
  sources: SourceInfo[];
  jobs: Job[];
  receipts: Output<'receipts.list'>['rows'];
}

function rowsOf(state: State, options: FakeOptions, id: string): TranscriptRow[] {
  const known = state.rows.get(id) ?? sampleRows(options.rows ?? 821);
  state.rows.set(id, known);
  return known;
}

const find = (state: State, id: string): SessionRow =>
  [...state.sessions, ...state.kin].find((row) => row.id === id || row.native_id === id) ??
  refuse('not_found', `No session is called ${id}.`);

function listHandlers(state: State, options: FakeOptions): Handlers {
  const pageOf = (id: string, from: number, limit: number) => {
    const rows = rowsOf(state, options, id);
    return { total: rows.length, head_seq: rows.at(-1)?.seq ?? 0, from, rows: rows.slice(from, from + limit) };
  };
  return {
    'app.info': () => sampleInfo(state.sessions.length, state.initialised),
    'sessions.list': ({ text, agent, cwd, has, sort, offset = 0, limit = 200 }) => {
      const words = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
      const hits = state.sessions
        .filter((row) => words.every((word) => `${row.title} ${row.cwd}`.toLowerCase().includes(word)))
        .filter((row) => (!agent || row.agent === agent) && (!cwd || row.cwd?.includes(cwd)))
        .filter((row) => !has?.includes('warning') || row.warnings.length > 0)
        .filter((row) => !has?.includes('secret') || row.redactions > 0);
      if (sort === 'oldest') hits.reverse();
      if (sort === 'title') hits.sort((a, b) => (a.title ?? '').localeCompare(b.title ?? ''));
      if (sort === 'size') hits.sort((a, b) => b.bytes - a.bytes);
      return { total: hits.length, rows: hits.slice(offset, offset + limit) };
    },
    'sessions.search': ({ query, offset = 0 }) => sampleFound(state.sessions, query, offset),
    'sessions.get': ({ id }) => find(state, id),
    'sessions.lineage': ({ id }) =>
      ['s1', 's17', 's18', 's19'].includes(id) ? [find(state, 's1'), ...state.kin] : [find(state, id)],
    'lineage.graph': sampleGraph,
    'sessions.files': () =>
      [
        'src/auth/refresh.ts',
        'src/auth/refresh.test.ts',
        'db/migrations/0042_token_family_previous.sql',
        'src/auth/families.ts',
        ...Array.from({ length: 13 }, (_, i) => `src/http/route-${i}.ts`),
      ].map((path, i) => ({ path, reads: 3 + (i % 4), edits: Math.max(0, 4 - i), last_seq: 806 + i })),
    'transcript.open': ({ id, from, limit = 200 }) => {
      const rows = rowsOf(state, options, id);
      return {
        session: find(state, id),
        jumps: jumpsOf(rows),
        page: pageOf(id, from ?? Math.max(0, rows.length - limit), limit),
      };
    },
    'transcript.rows': ({ id, from, limit }) => pageOf(id, from, limit),
    'transcript.locate': ({ id, seq }) => ({
      ordinal: rowsOf(state, options, id).findLastIndex((row) => row.seq <= seq),
    }),
    'events.get': ({ seq }) => ({
      seq,
      ts: now(),
      agent: 'claude',
      actor: 'agent:claude',
      type: 'message.thinking',
      level: 2,
      payload: {
        text: 'The second tab presents a token that was rotated 40 ms ago, so the family is locked twice.',
        form: 'signed',
      },
      refs: [],
      parent_seq: seq - 1,
      origin: { agent: 'claude', native_id: 'b1c2', native_seq: seq },
      checksum: `sha256:${'0'.repeat(64)}`,
    }),
    'artifacts.get': () => SAMPLE_IMAGE,
    'resume.command': ({ id }) => ({ argv: ['claude', '--resume', id], cwd: null, text: `claude --resume ${id}` }),
    'receipts.list': ({ offset = 0, limit = 200 }) => ({
      total: state.receipts.length,
      rows: state.receipts.slice(offset, offset + limit),
    }),
    'receipts.get': ({ id }) =>
      state.receipts.find((receipt) => receipt.id === id) ?? refuse('not_found', `No receipt is called ${id}.`),
    'receipts.verify': ({ id }) => verdict(id === 'rcpt_206'),
    'verify.session': () => verdict(false),
  };
}

function verdict(bad: boolean): Output<'receipts.verify'> {
  const check = (id: string, text: string, detail: string, passes = true) => ({ id, ok: passes, text, detail });
  return {
    ok: !bad,
    checks: [
      check('schema', 'Schema', 'receipt 1, all fields known'),
      check('canonical', 'Canonical form', 'bytes are RFC 8785'),
      check('signature', 'Signature', 'Ed25519, key 4f8a…71c2'),
      check('chain', 'Chain link', 'previous hash is receipt 210'),
      check('session', 'Session', 'id in the receipt is this session'),
      check(
        'subjects',
        'Subject on disk',
        bad
          ? 'events.jsonl has other bytes now. Recorded sha256 5c1e…d803, found sha256 b74a…996f.'
          : '2 of 2 hashes match the files now',
        !bad,
      ),
    ],
  };
}

function handoffHandlers(state: State, options: FakeOptions, emit: (event: AppEvent) => void): Handlers {
  return {
    'handoff.preflight': (input) => samplePlan(input, find(state, input.session).title ?? '', options.tooLong ?? false),
    'handoff.execute': async ({ operation_id, ...input }, signal) => {
      for (const [step, text, ms] of SAGA) {
        const tell = (what: 'running' | 'done' | 'failed') =>
          emit({ topic: 'handoff', progress: { operation_id, step, state: what, text, ms } });
        tell('running');
        await wait(options.pace ?? 120);
        if (signal?.aborted) refuse('cancelled', 'Stopped.');
        if (step === options.failAt) {
          emit({
            topic: 'handoff',
            progress: { operation_id, step, state: 'failed', text: 'Event e702: 3,104 bytes written, 3,102 read', ms },
          });
          refuse(
            'readback_mismatch',
            'The written copy did not read back the same. Nothing was left behind, and the source session is as it was.',
            { seq: 702 },
          );
        }
        tell('done');
      }
      emit({ topic: 'receipt', id: 'rcpt_211' });
      return sampleResult(operation_id, input);
    },
    'handoff.undo': () => ({ removed: ['rollout.jsonl'], left: [] }),
  };
}

function setupHandlers(state: State, emit: (event: AppEvent) => void): Handlers {
  return {
    'app.init': () => {
      state.initialised = true;
      return { keys: sampleInfo(0, true).keys, recovery_key: 'SC1-7KQ4-M2VX-9TDR-H6PW-3JCN-8LFB' };
    },
    'sources.list': () => state.sources,
    'sources.set': ({ agent, enabled }) => {
      state.sources = state.sources.map((source) => (source.agent === agent ? { ...source, enabled } : source));
      emit({ topic: 'sources' });
      return state.sources;
    },
    'jobs.list': () => state.jobs,
    'import.start': () => {
      const job: Job = {
        id: 'j1',
        kind: 'import',
        state: 'running',
        text: 'Codex',
        done: 148,
        total: 1776,
        bytes: 0,
        events: 0,
        sessions_changed: 0,
        warnings: [],
      };
      state.jobs = [job];
      emit({ topic: 'job', job });
      return job;
    },
    'export.start': ({ format }) => {
      const job: Job = {
        id: 'j2',
        kind: 'export',
        state: 'done',
        text: '',
        done: 1,
        total: 1,
        bytes: 412_300,
        events: 920,
        sessions_changed: 0,
        warnings: [],
        path: `/home/dev/.sessionctl/exports/retry-with-a-budget-7c1f09aa.${format}`,
      };
      state.jobs = [job];
      emit({ topic: 'job', job });
      return job;
    },
    'jobs.cancel': () => ({ ...(state.jobs[0] ?? refuse('not_found', 'No such job.')), state: 'cancelled' }),
    'sample.start': () => {
      state.initialised = true;
      return { home: '/tmp/sample' };
    },
  };
}
