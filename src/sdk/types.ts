import type { ImportSummary as CapturedSummary } from '../engine/capture/contract.ts';
import type { ExportedText } from '../engine/outputs/export-text.ts';
import type { Appended as EngineAppended } from '../engine/sessions/append.ts';
import type { ManifestVerdict as EngineManifestVerdict } from '../engine/sessions/manifest.ts';
import type { SessionQuery as ListQuery, Output } from '../shared/api.ts';
import type { AppendInput, CreateSession } from '../shared/append.ts';
import type { ErrorCode as AppErrorCode } from '../shared/errors.ts';
import type { SessionEvent as LogEvent } from '../shared/events.ts';
import type { Command as AgentCommand } from '../shared/handoff.ts';
import type { ExportFormat as TextFormat } from '../shared/outputs.ts';
import type { SearchQuery } from '../shared/search.ts';
import type { Manifest as SignedManifest } from '../shared/session.ts';

/** The data of this package, field names as in the store and in the CLI's JSON (scripts/api-report.ts writes them out). */

/** Why something could not be done. */
export type ErrorCode = AppErrorCode;
/** One event of a session. */
export type SessionEvent = LogEvent;
/** An event to append. What is left out is filled in; docs/sdk.md names the payloads. */
export type AppendEvent = AppendInput;
/** A session to make. */
export type NewSession = CreateSession;
/** A session as lists show it. */
export type SessionRow = Output<'sessions.get'>;
/** What to list. */
export type SessionQuery = ListQuery;
/** A page of a list, and how many there are in all. */
export type SessionList = Output<'sessions.list'>;
/** Where to search, which page, how long to index first. */
export type SearchOptions = Omit<SearchQuery, 'query'>;
/** Sessions with their hits. `matches` are places in `text`, in UTF-16 units. */
export type SearchResult = Output<'sessions.search'>;
/** What an append did. */
export type Appended = EngineAppended;
/** A marked point. */
export type Checkpoint = Output<'sessions.checkpoint'>;
/** A session's signed summary: what it is, where its log ends, what it came from. */
export type Manifest = SignedManifest;
/** What the signature of a manifest is worth. */
export type ManifestVerdict = EngineManifestVerdict;
/** A defect or oddity that was met while reading; it stops nothing. */
export type Warning = SessionRow['warnings'][number];
/** What becomes of each part of a conversation. */
export type FidelityReport = HandoffResult['fidelity'];
/** Checks, each with what it found. */
export type Verdict = Output<'verify.session'>;
/** A page made for the next agent, within a budget. */
export type CompiledContext = Output<'compile.run'>;
/** What a handoff would do. */
export type HandoffPlan = Output<'handoff.preflight'>;
/** What a handoff did. */
export type HandoffResult = Output<'handoff.execute'>;
/** A form in which a session is written out. */
export type ExportFormat = TextFormat;
/** A file that was written, what was redacted, and the receipt's id. */
export type Exported = ExportedText;
/** A proof of something that was done. */
export type Receipt = Output<'receipts.get'>;
/** A command to type, with the folder to type it in. */
export type Command = AgentCommand;
/** An agent's store of sessions. */
export type Source = Output<'sources.list'>[number];
/** What an import read. */
export type ImportSummary = CapturedSummary;
