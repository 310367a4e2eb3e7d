import type { AgentEnv } from '../../../adapters/contract.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { Warning } from '../../shared/events.ts';
import type { CaptureResult } from '../store/intake-protocol.ts';
import type { ImportProgress, ImportRequest, ImportSummary } from './contract.ts';
import { openFound } from './databases.ts';
import { type Adapters, type Found, findAt, findOwn } from './find-sources.ts';
import type { Captured, SourceCapture, StoreRpc } from './source-capture.ts';

/** Sources that are committed together. */
const GROUP_SOURCES = 64;
const GROUP_BYTES = 8 << 20;

const MAX_WARNINGS = 1000;
const PROGRESS_MS = 100;

export interface ImportSurroundings {
  adapters: Adapters;
  env: AgentEnv;
  rpc: StoreRpc;
  captures: SourceCapture;
  onProgress(progress: ImportProgress): void;
  signal: AbortSignal;
}

/** One import: finds sources, leaves out the unchanged, captures the rest, newest first. */
export async function runImport(around: ImportSurroundings, request: ImportRequest): Promise<Result<ImportSummary>> {
  const tally = new Tally(around.onProgress);
  const found = await sourcesOf(around, request, tally);
  if (!found.ok) return found;
  const known = new Map<string, { size: number; mtime_ms: number }>();
  for (const agent of new Set(found.value.map(({ source }) => source.agent)))
    for (const stamp of await around.rpc.call('stamps', agent)) known.set(stamp.path, stamp);
  const changed = found.value.filter(({ source, only }) => {
    const stamp = known.get(source.path);
    return (
      only !== undefined || stamp === undefined || stamp.size !== source.bytes || stamp.mtime_ms !== source.mtime_ms
    );
  });
  tally.summary.unchanged = found.value.length - changed.length;
  tally.summary.total = changed.length;
  changed.sort((a, b) => b.source.mtime_ms - a.source.mtime_ms);
  const isKnown = (found: Found) => known.has(found.source.path);
  const files = changed.filter(({ source }) => source.database !== true);
  await captureTwice(around, files, isKnown, tally);
  for (const one of changed) if (one.source.database === true) await captureDatabase(around, one, isKnown, tally);
  if (around.signal.aborted)
    return fail('cancelled', 'The import was cancelled. What was read so far is in the store.');
  tally.finish();
  return ok(tally.summary);
}

async function sourcesOf(around: ImportSurroundings, request: ImportRequest, tally: Tally): Promise<Result<Found[]>> {
  const { adapters, env } = around;
  const { agent, path } = request;
  if (agent !== undefined && !Object.hasOwn(adapters, agent))
    return fail('invalid_request', `There is no agent "${agent}". Known are: ${Object.keys(adapters).join(', ')}.`);
  const chosen = Object.values(adapters).filter((adapter) => agent === undefined || adapter.id === agent);
  if (path !== undefined) return findAt(path, chosen, env);
  const enabled = await around.rpc.call('enabledSources');
  if (agent !== undefined && !enabled.includes(agent))
    return fail(
      'source_not_enabled',
      `Sessions of ${agent} are not enabled. Run "sessionctl sources enable ${agent}" first.`,
    );
  const found: Found[] = [];
  for (const adapter of chosen.filter(({ id }) => enabled.includes(id))) {
    const own = await findOwn(adapter, env);
    found.push(...own.found);
    tally.warn(own.warnings);
  }
  return ok(found);
}

/** Captures; what another process wrote at the same moment is taken once more. True = all of it is in the store. */
async function captureTwice(
  around: ImportSurroundings,
  sources: readonly Found[],
  isKnown: (found: Found) => boolean,
  tally: Tally,
): Promise<boolean> {
  const failed = tally.failures;
  const stale = await captureAll(around, sources, isKnown, tally);
  const busy = await captureAll(around, stale, () => true, tally);
  for (const { source } of busy)
    tally.warn([
      { about: 'busy-source', detail: 'Another process is reading this session right now.', file: source.path },
    ]);
  return busy.length === 0 && tally.failures === failed && !around.signal.aborted;
}

/** Captures what has changed in a database. */
async function captureDatabase(
  around: ImportSurroundings,
  found: Found,
  isKnown: (found: Found) => boolean,
  tally: Tally,
): Promise<void> {
  if (around.signal.aborted) return;
  const opened = await openFound(around, found);
  if (!opened.ok) return tally.failed({ source: found.source, error: opened.error });
  const { sessions, unchanged, warnings, done, close } = opened.value;
  try {
    tally.summary.unchanged += unchanged;
    tally.summary.total += sessions.length - 1;
    tally.warn(warnings.map((warning) => ({ file: found.source.path, ...warning })));
    if (!(await captureTwice(around, sessions, isKnown, tally))) return;
    await done();
    await around.captures.flush();
  } finally {
    await close();
  }
}

/** Captures in groups; the store commits one group while the next is read. Returns the sources to be taken again. */
async function captureAll(
  around: ImportSurroundings,
  sources: readonly Found[],
  isKnown: (found: Found) => boolean,
  tally: Tally,
): Promise<Found[]> {
  const { captures, signal } = around;
  const byCapture = new Map<number, { found: Found; captured: Captured }>();
  const stale: Found[] = [];
  let committing: Promise<CaptureResult[]> = Promise.resolve([]);
  const settle = async () => {
    for (const result of await committing) {
      const one = byCapture.get(result.capture);
      byCapture.delete(result.capture);
      if (one === undefined) continue;
      if (result.state === 'stale') stale.push(one.found);
      else tally.committed(one.captured, result.changed);
    }
  };
  let group = { sources: 0, bytes: 0 };
  for (const found of sources) {
    if (signal.aborted) break;
    const captured = await captures.capture(found.adapter, found.source, isKnown(found), signal);
    if (captured.error === null) byCapture.set(captured.capture, { found, captured });
    else if (captured.error.code !== 'cancelled') tally.failed(captured);
    group = { sources: group.sources + 1, bytes: group.bytes + found.source.bytes };
    if (group.sources < GROUP_SOURCES && group.bytes < GROUP_BYTES) continue;
    group = { sources: 0, bytes: 0 };
    await settle();
    committing = captures.flush();
    committing.catch(() => {});
  }
  await settle();
  committing = captures.flush();
  await settle();
  return stale;
}

/** Adds up what an import did. */
class Tally {
  readonly summary: ImportSummary = {
    text: 'Looking for sessions',
    done: 0,
    total: 0,
    bytes: 0,
    events: 0,
    sessions_changed: 0,
    unchanged: 0,
    changed: [],
    warnings: [],
    dropped_warnings: 0,
  };
  private readonly onProgress: (progress: ImportProgress) => void;
  failures = 0;
  private told = 0;

  constructor(onProgress: (progress: ImportProgress) => void) {
    this.onProgress = onProgress;
  }

  committed(captured: Captured, changed: Extract<CaptureResult, { state: 'done' }>['changed']): void {
    const { summary } = this;
    summary.done++;
    summary.bytes += captured.source.bytes;
    summary.events += captured.events;
    for (const { id, change } of changed) if (change !== 'changed') summary.changed.push(id);
    summary.sessions_changed = summary.changed.length;
    this.warn(captured.warnings.map((warning) => ({ file: captured.source.path, ...warning })));
    if (performance.now() - this.told > PROGRESS_MS) this.tell(`Read ${captured.source.path}`);
  }

  failed({ source, error }: Pick<Captured, 'source' | 'error'>): void {
    this.failures++;
    this.summary.done++;
    this.warn([{ about: error?.code ?? 'internal', detail: error?.message ?? '', file: source.path }]);
  }

  warn(warnings: readonly Warning[]): void {
    for (const warning of warnings) {
      if (this.summary.warnings.length < MAX_WARNINGS) this.summary.warnings.push(warning);
      else this.summary.dropped_warnings++;
    }
  }

  finish(): void {
    const { done, sessions_changed } = this.summary;
    this.tell(done === 0 ? 'Nothing new' : `${sessions_changed} sessions added or changed`);
  }

  private tell(text: string): void {
    this.told = performance.now();
    this.summary.text = text;
    const { done, total, bytes, events, sessions_changed } = this.summary;
    this.onProgress({ text, done, total, bytes, events, sessions_changed });
  }
}
