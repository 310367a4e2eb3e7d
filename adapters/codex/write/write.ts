import { utimes } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { fail, ok, type Result, toAppError } from '../../../src/shared/errors.ts';
import type { Warning } from '../../../src/shared/events.ts';
import type { MaterializeOptions, SessionSource, Written } from '../../contract.ts';
import { createPrivateFile, type PrivateFile, type SealedFile } from '../../io/write.ts';
import { readConfig, windowOf } from '../config.ts';
import { fileSha256, removeLeftovers } from '../file-hash.ts';
import { codexHome, readsPaginated, rolloutPath } from '../home.ts';
import { Arranger, type Step } from './arrange.ts';
import { type Artifacts, artifactsOf } from './content.ts';
import { Rollout, type RolloutOptions } from './rollout.ts';

/** Lines are gathered to chunks of about this many UTF-16 units before they go to the file. */
const CHUNK = 1 << 20;
/** Written as `cli_version` where the installed one is not known; Codex only asks that the field is there (measured). */
const UNKNOWN_VERSION = '0.0.0';

/**
 * Streams the model view of a session into a rollout under a temporary name. At most one response is held in memory.
 * The same session and options give the same bytes, so a retry after a crash finds its own finished file and keeps it.
 */
export async function writeRollout(session: SessionSource, options: MaterializeOptions): Promise<Result<Written>> {
  if (!isAbsolute(options.cwd))
    return fail('unknown_cwd', 'The project folder of this session is not known. Name it with --cwd and try again.');
  const final = rolloutPath(codexHome(options.env), options.nativeId, options.at);
  await removeLeftovers(final);
  const earlier = await fileSha256(final);
  const created = await createPrivateFile(earlier === null ? final : `${final}.again`);
  if (!created.ok) return created;
  const file = created.value;
  try {
    const warnings: Warning[] = [];
    const conversation = await stream(session, await rolloutOptions(session, options, warnings), file, warnings);
    if (!conversation) {
      await file.abort();
      return fail('no_conversation', 'Nothing of this session reaches a model, so there is nothing to go on with.');
    }
    const sealed = await file.seal();
    if (!sealed.ok) return sealed;
    await utimes(file.temp, options.at, options.at);
    return ok(writtenFile(file, sealed.value, final, earlier, warnings));
  } catch (error) {
    await file.abort();
    return { ok: false, error: toAppError(error) };
  }
}

function writtenFile(
  file: PrivateFile,
  { temp, bytes, sha256 }: SealedFile,
  final: string,
  earlier: string | null,
  warnings: Warning[],
): Written {
  const commit = async (): Promise<Result<void>> => {
    if (earlier === null) {
      const committed = await file.commit();
      return committed.ok ? ok(undefined) : committed;
    }
    await file.abort();
    if (earlier === sha256) return ok(undefined);
    return fail(
      'target_exists',
      `${final} already exists and holds something else. It was not touched; start the handoff anew to get another id.`,
      { path: final },
    );
  };
  return { temp, final, bytes, sha256, warnings, commit, abort: () => file.abort() };
}

async function rolloutOptions(
  session: SessionSource,
  options: MaterializeOptions,
  warnings: Warning[],
): Promise<RolloutOptions> {
  const config = await readConfig(options.env);
  if (options.version === null) {
    warnings.push({
      about: 'target-version-unknown',
      detail:
        'The version of Codex is not known, so the older form is written: every version resumes it, but its transcript shows messages only.',
    });
  }
  return {
    threadId: options.nativeId,
    cwd: options.cwd,
    at: options.at,
    cliVersion: options.version ?? UNKNOWN_VERSION,
    provider: config.provider,
    gitBranch: session.row.git_branch,
    paginated: readsPaginated(options.version),
    tokens: options.tokens,
    contextWindow: windowOf(config).window,
    ...(options.preface === undefined ? {} : { preface: options.preface }),
  };
}

/** False = no line but the header came out. */
async function stream(
  session: SessionSource,
  options: RolloutOptions,
  file: PrivateFile,
  warnings: Warning[],
): Promise<boolean> {
  let pending: string[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const text = pending.join('');
    pending = [];
    size = 0;
    await file.write(text);
  };
  const arranger = new Arranger((warning) => warnings.push(warning));
  let rollout: Rollout | undefined;
  const begin = (first: number | null): Rollout =>
    new Rollout(options, first, (line) => {
      pending.push(line);
      size += line.length;
    });
  const write = async (steps: Step[], to: Rollout): Promise<void> => {
    for (const step of steps) {
      const artifacts = loaded(step, session);
      to.step(step, artifacts instanceof Promise ? await artifacts : artifacts);
      if (size > CHUNK) await flush();
    }
  };
  for await (const event of session.model()) {
    rollout ??= begin(event.ts);
    const steps = arranger.push(event);
    if (steps.length > 0) await write(steps, rollout);
  }
  rollout ??= begin(null);
  await write(arranger.end(), rollout);
  const any = rollout.finish();
  await flush();
  return any;
}

const NONE: Artifacts = new Map();

function loaded(step: Step, session: SessionSource): Artifacts | Promise<Artifacts> {
  const event = step.kind === 'output' ? step.result : step.event;
  const refs = event === null ? [] : artifactsOf(event);
  return refs.length === 0 ? NONE : load(refs, session);
}

async function load(refs: string[], session: SessionSource): Promise<Artifacts> {
  const artifacts = new Map<string, Uint8Array>();
  for (const ref of refs) artifacts.set(ref, await session.artifact(ref));
  return artifacts;
}
