import { stat } from 'node:fs/promises';
import type {
  AgentEnv,
  MaterializeOptions,
  SessionAdapter,
  TargetAdapter,
  WholeSession,
  Written,
} from '../../../adapters/contract.ts';
import { moveOf } from '../../../adapters/home/move.ts';
import { fitsFileName } from '../../../adapters/io/file-name.ts';
import type { ReceiptDraft } from '../../core/log/receipt.ts';
import { AppFailure, fail, ok, type Result, toAppError, unwrap } from '../../shared/errors.ts';
import type { Warning } from '../../shared/events.ts';
import type { Command, FidelityReport } from '../../shared/handoff.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { EngineContext, OpenHome } from '../procedures/context.ts';
import type { StoreReader } from '../store/contract.ts';
import { commitAll } from './commit-all.ts';
import { basesAlong, basesOf, goesHome, leftBehind, notWritten, subagentsOf, takes, wholeOf } from './home.ts';
import { type OutgoingRedactor, outgoingRedactor, type Redactions, sumOf } from './outgoing.ts';
import { planOf, stateOf } from './plan.ts';
import { type Prepared, prepare, type StepRunner, type Writer, writerOf } from './prepare.ts';
import { receiptIdOf } from './record.ts';
import { writeClean } from './write-clean.ts';

export interface ExportedNative {
  session: string;
  agent: string;
  native_id: string;
  files: string[];
  command: Command;
  fidelity: FidelityReport;
  warnings: Warning[];
  receipt: string;
}

/** What to write, and where. */
export interface NativeExport {
  agent: string;
  /** stands for the agent's home */
  folder: string;
  /** the session's folder on the machine that it is for; null = that of the session */
  cwd: string | null;
  /** names the export, and with it the id of a session that gets a new one */
  operation: string;
}

/**
 * Writes a session in an agent's own format below a folder that stands for that agent's home: nothing is registered and no
 * agent is touched. A session of this very agent goes whole, with its sub-agents, and keeps its id unless the folder has it.
 */
export async function exportNative(
  context: EngineContext,
  home: OpenHome,
  row: SessionRow,
  { agent, folder, cwd, operation }: NativeExport,
  signal?: AbortSignal,
): Promise<Result<ExportedNative>> {
  const found = await stat(folder).catch(() => null);
  if (found && !found.isDirectory())
    return fail('target_exists', `${folder} is a file. Name a folder.`, { path: folder });
  // the agent's own settings lie elsewhere: in this folder it has none
  const env = { PATH: context.agents.env.env.PATH, SESSIONCTL_HOME: context.options.home };
  const agents = { ...context.agents, env: { home: folder, env } };
  const request = { session: row.id, to: agent, mode: null, turns: null, note: null, cwd };
  const run = steps(signal);
  const redactor = await outgoingRedactor(home.store.reader, row, home.keys.redaction);
  try {
    const to = unwrap(context.agents.adapter(agent));
    const bases = (await goesHome(home.store.reader, row, to)) ? await basesOf(home.store.reader, row, to) : null;
    const whole = bases !== null;
    const keeps = whole && fitsFileName(row.native_id) && !(await hasSession(to, agents.env, row));
    const now = Date.now() / 1000;
    const at = keeps ? (row.started_at ?? now) : now;
    const named = keeps ? { nativeId: row.native_id } : {};
    const prepared = unwrap(
      await prepare({ ...context, agents }, home, { request, operation, at, redactor, isWhole: whole, ...named }, run),
    );
    if (prepared.refused) throw new AppFailure(prepared.refused);
    const { native_id, title, cwd, version, tokens } = stateOf(prepared, request);
    const options: MaterializeOptions = { env: agents.env, nativeId: native_id, title, cwd, version, at, tokens };
    const children = row.agent === agent ? await subagentsOf(home.store.reader, row) : [];
    const along = keeps ? await withPlace(home.store.reader, to, children) : [];
    const { written, before, behind, removed } = await writeAll(home, { prepared, options, run }, bases ?? [], along);
    await commitAll([...before, written, ...behind]);
    const all = [written, ...behind, ...before];
    const receipt = {
      ...receiptOf(prepared, written, removed),
      id: receiptIdOf(operation, 'export'),
      at: new Date(now * 1000).toISOString(),
    };
    const decided = unwrap(await home.store.writer.decide({ receipt }));
    const { command } = planOf(prepared, { ...context, agents });
    const { fidelity } = prepared;
    return ok({
      session: row.id,
      agent,
      native_id,
      files: all.flatMap(({ final, beside = [] }) => [final, ...beside.map((one) => one.final)]),
      command,
      fidelity,
      warnings: [
        ...all.flatMap(({ warnings }) => warnings),
        ...(whole ? [row, ...along, ...bases].flatMap(notWritten) : []),
        ...basesAlong(bases ?? [], to.label),
        ...(whole || row.agent !== agent ? [] : [byModelView(fidelity, to.label)]),
        ...takenOut(sumOf(removed)),
        ...leftBehind(children.filter((child) => !along.includes(child))),
      ],
      receipt: decided.receipt!.id,
    });
  } catch (error) {
    return { ok: false, error: toAppError(error) };
  }
}

/** What is said where a session does not come back to its own agent record by record. */
function byModelView({ events }: FidelityReport, label: string): Warning {
  const detail = `This session does not go back record by record. What ${label} would send its model of it was written, as a new session: ${events.arriving} of ${events.total} events; what was undone is not among them.`;
  return { about: 'model-view', detail };
}

function takenOut({ removed }: Redactions): Warning[] {
  if (removed === 0) return [];
  const what = removed === 1 ? '1 secret is' : `${removed} secrets are`;
  return [{ about: 'redacted', detail: `${what} not in it: [REDACTED:…] stands in the place.`, count: removed }];
}

/** Steps are not shown; between them an export can be stopped. */
const steps =
  (signal: AbortSignal | undefined): StepRunner =>
  (_step, _text, work) => {
    if (signal?.aborted)
      throw new AppFailure({ code: 'cancelled', message: 'The export was stopped. Nothing was written.' });
    return work();
  };

/** Whether the agent of this home has a session with the same id. */
async function hasSession(to: SessionAdapter, env: AgentEnv, { native_id, cwd }: SessionRow): Promise<boolean> {
  const { sources } = await to.discover(env);
  if (sources.some((source) => source.native_id === native_id)) return true;
  const [final] = to.target!.shape(null, env, native_id, 0, cwd).files;
  if (final === undefined || to.target!.standing === undefined) return false;
  return unwrap(await to.target!.standing({ final, sha256: '' }, { nativeId: native_id })) !== 'absent';
}

/** Sub-agents that can be written back whole, under ids that can name a file; those below one that stays stay too. */
async function withPlace(
  reader: StoreReader,
  to: SessionAdapter,
  children: readonly SessionRow[],
): Promise<SessionRow[]> {
  const left = new Set<string | null>();
  for (const row of children)
    if (left.has(row.parent) || !fitsFileName(row.native_id) || !(await comesAlong(reader, row, to))) left.add(row.id);
  return children.filter(({ id }) => !left.has(id));
}

const comesAlong = async (reader: StoreReader, row: SessionRow, to: SessionAdapter): Promise<boolean> =>
  (await takes(reader, row, to)) && (await basesOf(reader, row, to))?.length === 0;

interface Parent {
  run: StepRunner;
  prepared: Prepared;
  options: MaterializeOptions;
}

interface WrittenAll {
  written: Written;
  /** must be in place before it */
  before: Written[];
  behind: Written[];
  /** what was redacted in each of them */
  removed: Redactions[];
}

/**
 * The session, what it goes on from, and its sub-agents, those under their own ids: all of them under temporary names, or none.
 */
async function writeAll(
  home: OpenHome,
  parent: Parent,
  bases: SessionRow[],
  children: SessionRow[],
): Promise<WrittenAll> {
  const { prepared, options, run } = parent;
  const all: Written[] = [];
  const removed: Redactions[] = [];
  const further = async (row: SessionRow, place: Pick<WholeSession, 'within' | 'base'>): Promise<Written> => {
    const { written, redaction } = await writeFurther(home, parent, row, place);
    removed.push(redaction);
    all.push(written);
    return written;
  };
  try {
    let base: WholeSession['base'];
    for (const row of bases) {
      const { temp } = await further(row, base === undefined ? {} : { base });
      base = { native_id: row.native_id, path: temp };
    }
    if (base !== undefined)
      prepared.writer = await writerHome(home, prepared.target, prepared.row, prepared.redactor, { base });
    const written = await writeClean(prepared, options, run);
    const before = all.slice();
    all.push(written);
    removed.unshift(prepared.redaction);
    const paths = new Map([[prepared.row.id, { native_id: options.nativeId, path: written.final }]]);
    const behind: Written[] = [];
    for (const row of children) {
      const child = await further(row, { within: paths.get(row.parent!)! });
      paths.set(row.id, { native_id: row.native_id, path: child.final });
      behind.push(child);
    }
    return { written, before, behind, removed };
  } catch (error) {
    for (const one of all.toReversed()) await one.abort();
    throw error;
  }
}

async function writerHome(
  { store: { reader } }: OpenHome,
  target: TargetAdapter,
  row: SessionRow,
  redactor: OutgoingRedactor,
  place: Pick<WholeSession, 'within' | 'base'>,
): Promise<Writer> {
  return writerOf(target.home!, { ...(await wholeOf(reader, row, redactor)), ...place });
}

/** A session that goes with another one, under its own id. */
async function writeFurther(
  home: OpenHome,
  { prepared, options, run }: Parent,
  row: SessionRow,
  place: Pick<WholeSession, 'within' | 'base'>,
): Promise<{ written: Written; redaction: Redactions }> {
  const redactor = await outgoingRedactor(home.store.reader, row, home.keys.redaction);
  const writer = await writerHome(home, prepared.target, row, redactor, place);
  const own: MaterializeOptions = {
    ...options,
    nativeId: row.native_id,
    title: redactor.text(row.title ?? 'Untitled session'),
    cwd: row.cwd === null ? options.cwd : (moveOf(prepared, options).folder(row.cwd) as string),
    at: row.started_at ?? options.at,
  };
  const further = { writer, redactor, shape: prepared.shape, redaction: redactor.counts };
  const written = await writeClean(further, own, run);
  return { written, redaction: further.redaction };
}

function receiptOf(
  prepared: Prepared,
  written: Written,
  removed: readonly Redactions[],
): Omit<ReceiptDraft, 'id' | 'at'> {
  const { row, to, nativeId, snapshot, installed, shape, fidelity } = prepared;
  const sha256 = snapshot.head.checksum.replace('sha256:', '');
  return {
    version: 1,
    action: 'export',
    actor: 'user',
    session_id: row.id,
    subjects: [
      { name: 'source', sha256, session: row.id, seq: snapshot.head.seq },
      { name: 'written', sha256: written.sha256, bytes: written.bytes, path: written.final },
    ],
    facts: {
      to: { agent: to.id, native_id: nativeId, version: installed?.version ?? null, shape: shape.name },
      events: fidelity.events,
      redaction: sumOf(removed),
    },
  };
}
