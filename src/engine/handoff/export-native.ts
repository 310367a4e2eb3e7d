import { stat } from 'node:fs/promises';
import type { MaterializeOptions, Written } from '../../../adapters/contract.ts';
import type { ReceiptDraft } from '../../core/log/receipt.ts';
import { AppFailure, fail, ok, type Result, toAppError, unwrap } from '../../shared/errors.ts';
import type { Warning } from '../../shared/events.ts';
import type { Command, FidelityReport } from '../../shared/handoff.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { EngineContext, OpenHome } from '../procedures/context.ts';
import { outgoingRedactor } from './outgoing.ts';
import { planOf, stateOf } from './plan.ts';
import { type Prepared, prepare, type StepRunner } from './prepare.ts';
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

/**
 * Writes a session in an agent's own format below a folder that stands for that agent's home: nothing is registered and no
 * agent is touched. `operation` names the export and with it the id of what is written.
 */
export async function exportNative(
  context: EngineContext,
  home: OpenHome,
  row: SessionRow,
  agent: string,
  folder: string,
  operation: string,
): Promise<Result<ExportedNative>> {
  const found = await stat(folder).catch(() => null);
  if (found && !found.isDirectory())
    return fail('target_exists', `${folder} is a file. Name a folder.`, { path: folder });
  // the agent's own settings lie elsewhere: in this folder it has none
  const agents = { ...context.agents, env: { home: folder, env: { PATH: context.agents.env.env.PATH } } };
  const request = { session: row.id, to: agent, mode: null, turns: null, note: null, cwd: null };
  const redactor = await outgoingRedactor(home.store.reader, row, home.keys.redaction);
  const quiet: StepRunner = (_step, _text, work) => work();
  try {
    const prepared = unwrap(
      await prepare({ ...context, agents }, home, { request, operation, at: Date.now() / 1000, redactor }, quiet),
    );
    if (prepared.refused) throw new AppFailure(prepared.refused);
    const { native_id, title, cwd, version, at, tokens } = stateOf(prepared, request);
    const options: MaterializeOptions = { env: agents.env, nativeId: native_id, title, cwd, version, at, tokens };
    const written = await writeClean(prepared, options, quiet);
    unwrap(await written.commit());
    const decided = unwrap(await home.store.writer.decide({ receipt: receiptOf(prepared, written) }));
    const { command } = planOf(prepared, { ...context, agents });
    const { fidelity } = prepared;
    return ok({
      session: row.id,
      agent,
      native_id,
      files: [written.final],
      command,
      fidelity,
      warnings: written.warnings,
      receipt: decided.receipt!.id,
    });
  } catch (error) {
    return { ok: false, error: toAppError(error) };
  }
}

function receiptOf(prepared: Prepared, written: Written): ReceiptDraft {
  const { row, to, nativeId, at, snapshot, installed, shape, fidelity, redaction } = prepared;
  const sha256 = snapshot.head.checksum.replace('sha256:', '');
  return {
    version: 1,
    id: `rcpt_${nativeId.replaceAll('-', '').slice(0, 20)}`,
    action: 'export',
    at: new Date(at * 1000).toISOString(),
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
