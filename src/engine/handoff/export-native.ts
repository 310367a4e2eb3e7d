import { stat } from 'node:fs/promises';
import type { AgentEnv, MaterializeOptions, SessionAdapter, Written } from '../../../adapters/contract.ts';
import { moveOf } from '../../../adapters/home/move.ts';
import type { ReceiptDraft } from '../../core/log/receipt.ts';
import { AppFailure, fail, ok, type Result, toAppError, unwrap } from '../../shared/errors.ts';
import type { Warning } from '../../shared/events.ts';
import type { Command, FidelityReport } from '../../shared/handoff.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { EngineContext, OpenHome } from '../procedures/context.ts';
import { goesHome, subagentsOf, wholeOf } from './home.ts';
import { outgoingRedactor } from './outgoing.ts';
import { planOf, stateOf } from './plan.ts';
import { type Prepared, prepare, type StepRunner, writerOf } from './prepare.ts';
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
): Promise<Result<ExportedNative>> {
  const found = await stat(folder).catch(() => null);
  if (found && !found.isDirectory())
    return fail('target_exists', `${folder} is a file. Name a folder.`, { path: folder });
  // the agent's own settings lie elsewhere: in this folder it has none
  const agents = { ...context.agents, env: { home: folder, env: { PATH: context.agents.env.env.PATH } } };
  const request = { session: row.id, to: agent, mode: null, turns: null, note: null, cwd };
  const redactor = await outgoingRedactor(home.store.reader, row, home.keys.redaction);
  const quiet: StepRunner = (_step, _text, work) => work();
  try {
    const to = unwrap(context.agents.adapter(agent));
    const whole = goesHome(row, to, request);
    const keeps = whole && !(await hasSession(to, agents.env, row));
    const now = Date.now() / 1000;
    const at = keeps ? (row.started_at ?? now) : now;
    const named = keeps ? { nativeId: row.native_id } : {};
    const prepared = unwrap(
      await prepare({ ...context, agents }, home, { request, operation, at, redactor, ...named }, quiet),
    );
    if (prepared.refused) throw new AppFailure(prepared.refused);
    const { native_id, title, cwd, version, tokens } = stateOf(prepared, request);
    const options: MaterializeOptions = { env: agents.env, nativeId: native_id, title, cwd, version, at, tokens };
    const written = await writeClean(prepared, options, quiet);
    unwrap(await written.commit());
    const children = whole ? await subagentsOf(home.store.reader, row) : [];
    const more = keeps ? await exportSubagents(home, { prepared, options, path: written.final }, children) : [];
    const receipt = {
      ...receiptOf(prepared, written),
      id: receiptIdOf(operation, 'export'),
      at: new Date(now * 1000).toISOString(),
    };
    const decided = unwrap(await home.store.writer.decide({ receipt }));
    const { command } = planOf(prepared, { ...context, agents });
    const { fidelity } = prepared;
    const all = [written, ...more];
    return ok({
      session: row.id,
      agent,
      native_id,
      files: all.flatMap(({ final, beside = [] }) => [final, ...beside.map((one) => one.final)]),
      command,
      fidelity,
      warnings: [...all.flatMap(({ warnings }) => warnings), ...(keeps ? [] : leftBehind(children))],
      receipt: decided.receipt!.id,
    });
  } catch (error) {
    return { ok: false, error: toAppError(error) };
  }
}

/** Whether the agent of this home has a session with the same id. */
async function hasSession(to: SessionAdapter, env: AgentEnv, { native_id, cwd }: SessionRow): Promise<boolean> {
  const { sources } = await to.discover(env);
  if (sources.some((source) => source.native_id === native_id)) return true;
  const [final] = to.target!.shape(null, env, native_id, 0, cwd).files;
  if (final === undefined || to.target!.standing === undefined) return false;
  return unwrap(await to.target!.standing({ final, sha256: '' }, { nativeId: native_id })) !== 'absent';
}

/** Sub-agents go home with their session, under their own ids. */
async function exportSubagents(
  home: OpenHome,
  parent: { prepared: Prepared; options: MaterializeOptions; path: string },
  children: SessionRow[],
): Promise<Written[]> {
  const { prepared, options } = parent;
  const { reader } = home.store;
  const paths = new Map([[prepared.row.id, { native_id: options.nativeId, path: parent.path }]]);
  const move = moveOf(prepared, options);
  const all: Written[] = [];
  for (const row of children) {
    const redactor = await outgoingRedactor(reader, row, home.keys.redaction);
    const session = { ...(await wholeOf(reader, row, redactor)), within: paths.get(row.parent!)! };
    const own: MaterializeOptions = {
      ...options,
      nativeId: row.native_id,
      title: redactor.text(row.title ?? 'Sub-agent'),
      cwd: row.cwd === null ? options.cwd : (move.folder(row.cwd) as string),
      at: row.started_at ?? options.at,
    };
    const writer = writerOf(prepared.target.home!, session);
    const written = await writeClean({ ...prepared, writer, redactor }, own, (_step, _text, work) => work());
    unwrap(await written.commit());
    paths.set(row.id, { native_id: row.native_id, path: written.final });
    all.push(written);
  }
  return all;
}

function leftBehind(children: SessionRow[]): Warning[] {
  if (children.length === 0) return [];
  const detail = `Its sub-agents (${children.length}) stay with the session that has its old id.`;
  return [{ about: 'subagents-left', detail, count: children.length }];
}

function receiptOf(prepared: Prepared, written: Written): Omit<ReceiptDraft, 'id' | 'at'> {
  const { row, to, nativeId, snapshot, installed, shape, fidelity, redaction } = prepared;
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
      redaction,
    },
  };
}
