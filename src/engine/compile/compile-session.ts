import type { Workspace } from '../../core/compile/workspace.ts';
import type { CompiledContext, CompileInput, Known } from '../../shared/compiled.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { SessionRow } from '../../shared/session.ts';
import { chosenKnower, knowersOf, takenBack } from '../handoff/known.ts';
import { takeSnapshot } from '../handoff/snapshot.ts';
import { type EngineContext, type OpenHome, resolveSession } from '../procedures/context.ts';
import type { StoreReader } from '../store/contract.ts';
import type { SummariserInput } from '../summarise/endpoint.ts';
import { summarise } from '../summarise/summarise.ts';
import { readWorkspace } from '../workspace/read-workspace.ts';
import type { Compiler, Page } from './compiler.ts';
import { reproduceCommand } from './reproduce.ts';
import { type Room, roomFor } from './room.ts';
import { withCompiler } from './threaded.ts';

/** What only a program on this machine may ask for: it names a folder, or a model that is sent the conversation. */
export interface LocalCompile extends CompileInput {
  /** also tell what this folder says now; null = that of the session */
  workspace?: string | null;
  /** also ask this model */
  summariser?: SummariserInput;
}

/**
 * The page on its own, as `compile` and the app show it. Errors: not_found, selection_required, invalid_request, unknown_cwd,
 * no_conversation, p0_over_budget.
 */
export async function compileSession(
  context: EngineContext,
  home: OpenHome,
  input: LocalCompile,
  signal: AbortSignal,
): Promise<Result<CompiledContext>> {
  const { reader } = home.store;
  const row = await resolveSession(reader, input.session);
  if (!row.ok) return row;
  const to = context.agents.adapter(input.for);
  if (!to.ok) return to;
  const room = await roomFor(context, reader, to.value, input);
  if (!room.ok) return room;
  const at = await lastEvent(reader, row.value, input.at);
  if (!at.ok) return at;
  const since = input.since === undefined ? null : await knownPart(home, row.value, at.value, input, to.value.label);
  if (since?.ok === false) return since;
  return withCompiler(home.store, context.options.host, async (compiler) => {
    const page: Page = {
      session: row.value.id,
      at: at.value,
      target: input.for,
      budget: room.value.budget,
      factor: room.value.factor,
      margin: room.value.margin,
      maxChars: input.max_chars,
      redactionKey: home.keys.redaction,
      known: since?.value.known,
    };
    const workspace = await workspaceFor(context, compiler, row.value, input, at.value);
    if (!workspace.ok) return workspace;
    const concluded = await concludedFor(compiler, page, input.summariser, signal);
    if (!concluded.ok) return concluded;
    const compiled = await compiler.page({ ...page, workspace: workspace.value, concluded: concluded.value });
    if (!compiled.ok) return compiled;
    return ok(
      told(compiled.value, { input, page, room: room.value, since: since?.value.told, workspace: workspace.value }),
    );
  });
}

/** Number of the last event that counts. */
async function lastEvent(reader: StoreReader, { id }: SessionRow, at: number | undefined): Promise<Result<number>> {
  const { n } = await reader.index(id);
  if (at === undefined) return ok(n - 1);
  return at < n
    ? ok(at)
    : fail('invalid_request', `The session ends with e${n - 1}: there is no e${at}.`, { head: n - 1 });
}

async function knownPart(
  { store: { reader }, keys }: OpenHome,
  row: SessionRow,
  at: number,
  { since, for: agent }: LocalCompile,
  label: string,
): Promise<Result<{ told: Known; known: NonNullable<Page['known']> }>> {
  const named = await resolveSession(reader, since!);
  if (!named.ok) return named;
  const snapshot = await takeSnapshot(reader, row.id, at);
  const knower = chosenKnower(await knowersOf(reader, snapshot, agent), named.value.id, label);
  if (!knower.ok) return { ok: false, error: { ...knower.error, message: `${knower.error.message}.` } };
  const { row: own, seq, ownTurns } = knower.value;
  const back = await takenBack(reader, snapshot, seq, keys.redaction);
  if (!snapshot.order.some((event) => event > seq) && back.length === 0)
    return fail('no_conversation', `Nothing is new since ${label}'s session ${own.native_id} last knew it.`);
  return ok({
    told: { session: own.id, agent: own.agent, native_id: own.native_id, seq, own_turns: ownTurns },
    known: { session: own.native_id, seq, ownTurns, takenBack: back },
  });
}

async function workspaceFor(
  context: EngineContext,
  compiler: Compiler,
  row: SessionRow,
  { workspace }: LocalCompile,
  at: number,
): Promise<Result<Workspace | undefined>> {
  if (workspace === undefined) return ok(undefined);
  const folder = workspace ?? row.cwd;
  if (folder === null) return fail('unknown_cwd', "The session's folder is not known. Name one: --workspace <dir>.");
  const files = await compiler.files(row.id, at);
  return readWorkspace(context.agents.env, folder, files, Math.floor(Date.now() / 1000));
}

async function concludedFor(
  compiler: Compiler,
  page: Page,
  summariser: SummariserInput | undefined,
  signal: AbortSignal,
): Promise<Result<Page['concluded']>> {
  if (summariser === undefined) return ok(undefined);
  return summarise(summariser, page.session, await compiler.passages(page), signal);
}

interface Told {
  input: LocalCompile;
  page: Page;
  room: Room;
  since: Known | undefined;
  workspace: Workspace | undefined;
}

function told(compiled: CompiledContext, { input, page, room, since, workspace }: Told): CompiledContext {
  const { window } = room;
  const seen = workspace && { folder: workspace.folder, at: workspace.at };
  // what another session of the reader knows, and how many turns it took since, changes with that session
  const isSame = workspace === undefined && since === undefined && compiled.summariser.deterministic;
  return {
    ...compiled,
    head: page.at,
    ...(window === undefined ? {} : { window }),
    ...(since === undefined ? {} : { since }),
    ...(seen === undefined ? {} : { workspace: seen }),
    ...(isSame ? { reproduce: reproduceCommand(page, input) } : {}),
  };
}
