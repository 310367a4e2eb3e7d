import { utimes } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { fail, ok, type Result, toAppError, unwrap } from '../../src/shared/errors.ts';
import type { Warning } from '../../src/shared/events.ts';
import type { MaterializeOptions, SessionSource, Written } from '../contract.ts';
import { fileSha256, removeLeftovers } from '../io/file-hash.ts';
import { createPrivateFile, type PrivateFile, type SealedFile } from '../io/write.ts';
import { Arranger, type Step } from './arrange.ts';
import { type Artifacts, artifactsOf } from './blocks.ts';

/** Turns steps into the lines of one target. */
export interface LineWriter {
  step(step: Step, artifacts: Artifacts): void;
  /**
   * A line that repeats what was written, in pieces; null = none. Asked for before `finish`, where the target has such a
   * line. `temp` holds everything that was emitted when the pieces are taken.
   */
  replay?(temp: string): Iterable<string> | null;
  /** Closes the file. False = no line of a conversation came out. */
  finish(): boolean;
}

export interface SessionFile {
  /** absolute path of the new session */
  final: string;
  /** `first`: time of the first event, seconds, or null where the source gives none. Lines come with their newline. */
  begin(first: number | null, emit: (line: string) => void, warn: (warning: Warning) => void): LineWriter;
  /** told of each step when it has been written, e.g. to note what the file must hold */
  noted?(step: Step, session: Pick<SessionSource, 'artifact'>): Promise<void>;
  /** what is to be said beside what the conversation itself gives rise to */
  warnings: readonly Warning[];
}

/** The folder of the project decides where a session belongs; it is never guessed. */
export function requireCwd(cwd: string): Result<string> {
  return isAbsolute(cwd) && !cwd.includes('\0')
    ? ok(cwd)
    : fail(
        'unknown_cwd',
        'The project folder of this session is not known. Name one (--cwd in a terminal) and try again.',
      );
}

/**
 * Streams the model view of a session into a private file under a temporary name. At most one response is held in memory.
 * The same session and options give the same bytes, so a retry after a crash finds its own finished file and keeps it.
 */
export async function writeSession(
  session: SessionSource,
  { at }: Pick<MaterializeOptions, 'at'>,
  target: SessionFile,
): Promise<Result<Written>> {
  const { final } = target;
  let file: PrivateFile | undefined;
  try {
    await removeLeftovers(final);
    const earlier = await fileSha256(final);
    file = unwrap(await createPrivateFile(earlier === null ? final : `${final}.again`));
    const warnings: Warning[] = [...target.warnings];
    if (!(await stream(session, target, file, warnings))) {
      await file.abort();
      return fail('no_conversation', 'Nothing of this session reaches a model, so there is nothing to go on with.');
    }
    const sealed = await file.seal();
    if (!sealed.ok) return sealed;
    await utimes(file.temp, at, at);
    return ok(writtenFile(file, sealed.value, final, earlier, warnings));
  } catch (error) {
    await file?.abort();
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

/** False = no line of a conversation came out. */
async function stream(
  session: SessionSource,
  target: SessionFile,
  file: PrivateFile,
  warnings: Warning[],
): Promise<boolean> {
  const warn = (warning: Warning): unknown => warnings.push(warning);
  const emit = (line: string): void => file.put(line);
  const arranger = new Arranger(warn);
  let writer: LineWriter | undefined;
  const write = async (steps: Step[], to: LineWriter): Promise<void> => {
    for (const step of steps) {
      const artifacts = loaded(step, session);
      const needed = artifacts instanceof Promise ? await artifacts : artifacts;
      to.step(step, needed);
      await target.noted?.(step, having(needed, session));
      if (file.isFull) await file.flush();
    }
  };
  for await (const event of session.model()) {
    writer ??= target.begin(event.ts, emit, warn);
    const steps = arranger.push(event);
    if (steps.length > 0) await write(steps, writer);
  }
  writer ??= target.begin(null, emit, warn);
  await write(arranger.end(), writer);
  const pieces = writer.replay?.(file.temp) ?? null;
  if (pieces !== null) {
    await file.flush();
    for (const piece of pieces) await file.write(piece);
  }
  return writer.finish();
}

const NONE: Artifacts = new Map();

function loaded(step: Step, session: SessionSource): Artifacts | Promise<Artifacts> {
  const event = step.kind === 'output' ? step.result : step.event;
  const refs = event === null ? [] : artifactsOf(event);
  return refs.length === 0 ? NONE : load(refs, session);
}

/** The session, with what was loaded already. */
function having(artifacts: Artifacts, session: SessionSource): Pick<SessionSource, 'artifact'> {
  if (artifacts === NONE) return session;
  return { artifact: async (ref) => artifacts.get(ref) ?? (await session.artifact(ref)) };
}

async function load(refs: string[], session: SessionSource): Promise<Artifacts> {
  const artifacts = new Map<string, Uint8Array>();
  for (const ref of refs) artifacts.set(ref, await session.artifact(ref));
  return artifacts;
}
