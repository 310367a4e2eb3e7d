import { type CompileInput, compile, passagesOf } from '../../core/compile/compile.ts';
import { compileSelection } from '../../core/compile/select.ts';
import type { Passage } from '../../core/compile/summariser.ts';
import { loadTokenizer } from '../../core/tokens/exact.ts';
import { activePath } from '../../core/view/branch.ts';
import { CODE } from '../../core/view/codes.ts';
import type { CompiledContext } from '../../shared/compiled.ts';
import type { Result } from '../../shared/errors.ts';
import type { SessionEvent } from '../../shared/events.ts';
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

/** In this thread. */
export function compilerOf(reader: StoreReader): Compiler {
  return {
    page: async (page) => compile({ ...page, ...(await materialOf(reader, page)), tokenizer: await loadTokenizer() }),
    passages: async (page) => passagesOf({ ...page, ...(await materialOf(reader, page)) }),
    files: (session, at) => filesOf(reader, session, at),
    close: async () => {},
  };
}

async function materialOf(
  reader: StoreReader,
  { session, at, before, redactionKey }: Page,
): Promise<Pick<CompileInput, 'session' | 'selection' | 'events' | 'active' | 'tailFollows'>> {
  const { row, index, special } = await takeSnapshot(reader, session, at);
  const active = activePath(index, special.leaf);
  const selection = compileSelection(index, active, before);
  const redactor = await outgoingRedactor(reader, row, redactionKey);
  const events = (await eventsOf(reader, session, selection.seqs)).map((event) => redactor.event(event));
  return { session: row, selection, events, active, tailFollows: before !== undefined };
}

const AT_ONCE = 1000;

async function eventsOf(reader: StoreReader, id: string, seqs: number[]): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for (let from = 0; from < seqs.length; from += AT_ONCE)
    events.push(...(await reader.eventsAt(id, seqs.slice(from, from + AT_ONCE))));
  return events;
}

const MOST_EDITS = 2_000;

async function filesOf(reader: StoreReader, session: string, at: number): Promise<string[]> {
  const { index, special } = await takeSnapshot(reader, session, at);
  const active = activePath(index, special.leaf);
  const seqs: number[] = [];
  for (let seq = index.n - 1; seq >= 0 && seqs.length < MOST_EDITS; seq--)
    if (active[seq] && index.type[seq] === CODE.edit) seqs.push(seq);
  seqs.reverse();
  const files = new Set<string>();
  for (const { payload } of await eventsOf(reader, session, seqs)) {
    if (typeof payload.path !== 'string' || payload.op === 'delete') continue;
    files.delete(payload.path);
    files.add(payload.path);
  }
  return [...files];
}
