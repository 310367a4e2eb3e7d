import { type CompileInput, compile, passagesOf } from '../../core/compile/compile.ts';
import { Gatherer } from '../../core/compile/material.ts';
import { compileSelection } from '../../core/compile/select.ts';
import type { Passage } from '../../core/compile/summariser.ts';
import { loadTokenizer } from '../../core/tokens/exact.ts';
import { activePath } from '../../core/view/branch.ts';
import { CODE } from '../../core/view/codes.ts';
import type { SessionIndex } from '../../core/view/flags.ts';
import type { CompiledContext } from '../../shared/compiled.ts';
import type { Result } from '../../shared/errors.ts';
import type { SessionEvent } from '../../shared/events.ts';
import type { SessionRow } from '../../shared/session.ts';
import { outgoingRedactor } from '../handoff/outgoing.ts';
import { takeSnapshot } from '../handoff/snapshot.ts';
import type { StoreReader } from '../store/contract.ts';

/** What a page is made of and how it is bounded; plain data, so that a thread can be asked. */
export interface Page
  extends Pick<
    CompileInput,
    'target' | 'budget' | 'maxChars' | 'factor' | 'margin' | 'known' | 'workspace' | 'concluded'
  > {
  session: string;
  /** last event that counts: the log may have grown since the caller looked */
  at: number;
  /** only what stands before this event; the rest follows natively */
  before?: number | undefined;
  /** secrets are looked for once more with it, where the session was read under older rules */
  redactionKey: Uint8Array;
}

/** Compiles sessions of a store. */
export interface Compiler {
  /** Errors: no_conversation, p0_over_budget, and those of the store. */
  page(page: Page): Promise<Result<CompiledContext>>;
  /** What a model may be asked to summarise for this page. */
  passages(page: Page): Promise<Passage[]>;
  /** Files that the session changed, the one changed last at the end. */
  files(session: string, at: number): Promise<string[]>;
  close(): Promise<void>;
}

/** In this thread. The material of the last pages is kept: whoever tries several budgets waits for it once. */
export function compilerOf(reader: StoreReader): Compiler {
  const kept = materialsOf(reader);
  return {
    page: async (page) => compile({ ...page, ...(await kept(page)), tokenizer: await loadTokenizer() }),
    passages: async (page) => passagesOf({ ...page, ...(await kept(page)) }),
    files: (session, at) => filesOf(reader, session, at),
    close: async () => {},
  };
}

type Collected = Pick<CompileInput, 'session' | 'selection' | 'material' | 'active' | 'tailFollows'>;
type Kept = (page: Page) => Promise<Collected>;

const KEPT = 2;
const byReader = new WeakMap<StoreReader, Kept>();

function materialsOf(reader: StoreReader): Kept {
  const known = byReader.get(reader);
  if (known) return known;
  const last = new Map<string, Promise<Collected>>();
  const kept: Kept = (page) => {
    const key = `${page.session} ${page.at} ${page.before ?? ''}`;
    const same = last.get(key);
    if (same) return same;
    const made = collect(reader, page);
    last.set(key, made);
    made.catch(() => last.delete(key));
    const [oldest] = last.keys();
    if (last.size > KEPT && oldest !== undefined) last.delete(oldest);
    return made;
  };
  byReader.set(reader, kept);
  return kept;
}

/** Reads what a page needs of a session, an event at a time. */
async function collect(reader: StoreReader, { session, at, before, redactionKey }: Page): Promise<Collected> {
  const { row, index, special } = await takeSnapshot(reader, session, at);
  const active = activePath(index, special.leaf);
  const selection = compileSelection(index, active, before);
  const redactor = await outgoingRedactor(reader, row, redactionKey);
  const gatherer = new Gatherer();
  for await (const events of reader.pick(session, Uint32Array.from(selection.seqs)))
    for (const event of events) gatherer.add(redactor.event(event));
  const began = await beginning(reader, row, index);
  const { cwd, git_branch } = began === null ? row : redactor.event(began).payload;
  return {
    session: { id: row.id, agent: row.agent, cwd: stringOr(cwd, row.cwd), git_branch: stringOr(git_branch, null) },
    selection,
    material: gatherer.finish(),
    active,
    tailFollows: before !== undefined,
  };
}

/**
 * The event that says in which folder and on which branch the session began. The row says what is so now: a page of the same
 * events would be another one once the session has gone on elsewhere.
 */
async function beginning(
  reader: StoreReader,
  { id }: Pick<SessionRow, 'id'>,
  { n, type }: SessionIndex,
): Promise<SessionEvent | null> {
  const seq = type.indexOf(CODE.start);
  if (seq < 0 || seq >= n) return null;
  return (await reader.eventsAt(id, [seq])).at(0) ?? null;
}

const stringOr = (value: unknown, other: string | null): string | null => (typeof value === 'string' ? value : other);

const MOST_EDITS = 2_000;

async function filesOf(reader: StoreReader, session: string, at: number): Promise<string[]> {
  const { index, special } = await takeSnapshot(reader, session, at);
  const active = activePath(index, special.leaf);
  const seqs: number[] = [];
  for (let seq = index.n - 1; seq >= 0 && seqs.length < MOST_EDITS; seq--)
    if (active[seq] && index.type[seq] === CODE.edit) seqs.push(seq);
  seqs.reverse();
  const files = new Set<string>();
  for await (const events of reader.pick(session, Uint32Array.from(seqs)))
    for (const { payload } of events) {
      if (typeof payload.path !== 'string' || payload.op === 'delete') continue;
      files.delete(payload.path);
      files.add(payload.path);
    }
  return [...files];
}
