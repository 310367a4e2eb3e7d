import { findCandidates } from '../../core/redact/candidates.ts';
import type { Redactor } from '../../core/redact/redactor.ts';
import { RULES_VERSION } from '../../core/redact/rules.ts';
import type { SessionRow } from '../../shared/session.ts';
import { artifactsNamed } from '../bundle/layout.ts';
import { isKeptWhole, payloadRedactor, redactedPayload, redactionOf } from '../sessions/redaction.ts';
import type { StoreReader } from '../store/contract.ts';

/** One place where a secret stands, or may stand. Never its value: a report must not be what leaks. */
export interface SecretFinding {
  session: string;
  seq: number;
  /** definite: today's rules would have replaced it at capture; candidate: it only looks like one */
  tier: 'definite' | 'candidate';
  /** kind of secret, as placeholders have it */
  type: string;
  /** JSON pointer into the payload of the event; into the artifact that it names, behind `#` */
  field: string;
}

export interface RedactionReport {
  /** version of the rules that looked */
  rules: number;
  sessions: number;
  events: number;
  /** sessions that were captured under older rules, or without any (bundles) */
  older: number;
  definite: number;
  candidates: number;
  findings: SecretFinding[];
  /** further findings, counted above and not listed */
  dropped_findings: number;
}

/** Findings that are listed; nobody reads more. */
const MOST = 1000;
const PLACEHOLDER = /\[REDACTED:([a-z0-9-]{1,40}):\d{1,9}\]/g;

/**
 * Looks through what is stored of some sessions, texts in artifacts too, under today's rules. Nothing is changed: what is found
 * goes out of exports and handoffs redacted (definite), or as it is (candidates). `onProgress` is told every some hundred events; what
 * it throws ends the work.
 */
export async function recheckRedaction(
  reader: StoreReader,
  sessions: AsyncIterable<SessionRow> | Iterable<SessionRow>,
  key: Uint8Array,
  onProgress: (report: RedactionReport) => void = () => {},
): Promise<RedactionReport> {
  const report: RedactionReport = {
    rules: RULES_VERSION,
    sessions: 0,
    events: 0,
    older: 0,
    definite: 0,
    candidates: 0,
    findings: [],
    dropped_findings: 0,
  };
  for await (const row of sessions) {
    report.sessions++;
    await checkSession(reader, row, key, report, onProgress);
  }
  return report;
}

async function checkSession(
  reader: StoreReader,
  row: SessionRow,
  key: Uint8Array,
  report: RedactionReport,
  onProgress: (report: RedactionReport) => void,
): Promise<void> {
  const state = await redactionOf(reader, row);
  if (state === null || state.rules < RULES_VERSION) report.older++;
  const redactor = payloadRedactor(key, state);
  const seen = new Set<string>();
  for await (const events of reader.stream(row.id)) {
    for (const { seq, payload } of events) {
      report.events++;
      const place = { session: row.id, seq };
      compare(payload, redactedPayload(redactor, payload), '', place, report);
      for (const ref of artifactsNamed(JSON.stringify(payload))) {
        if (seen.has(ref)) continue;
        seen.add(ref);
        await checkArtifact(reader, ref, redactor, place, report);
      }
    }
    onProgress(report);
  }
}

type Place = Pick<SecretFinding, 'session' | 'seq'>;

async function checkArtifact(
  reader: StoreReader,
  ref: string,
  redactor: Redactor,
  place: Place,
  report: RedactionReport,
): Promise<void> {
  const artifact = await reader.artifact(ref);
  if (artifact === null || !(artifact.media_type === 'application/json' || artifact.media_type.startsWith('text/')))
    return;
  const text = Buffer.from(artifact.bytes).toString('utf8');
  const value = artifact.media_type === 'application/json' ? parsed(text) : text;
  compare(value, redactor.record(structuredClone(value)), `#${ref.slice(-12)}`, place, report);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Where the redacted copy differs a secret stood; what is the same is looked through for candidates. */
function compare(before: unknown, after: unknown, field: string, place: Place, report: RedactionReport): void {
  if (typeof before === 'string' && typeof after === 'string') {
    if (before !== after) for (const type of replacedIn(before, after)) add(report, place, 'definite', type, field);
    for (const { type } of findCandidates(after)) add(report, place, 'candidate', type, field);
    return;
  }
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null) return;
  const copies = Object.entries(after);
  for (const [i, [name, value]] of Object.entries(before).entries()) {
    const [newName = '', copy] = copies[i] ?? [];
    // names keep their order, also those that a secret was taken out of
    for (const type of newName === name ? [] : replacedIn(name, newName)) add(report, place, 'definite', type, field);
    // a tool's arguments have names of its own, and encoded bytes are random by nature
    const isText = field.startsWith('/arguments') || !isKeptWhole(name);
    if (isText) compare(value, copy, `${field}/${escaped(newName)}`, place, report);
  }
}

/** Types of the placeholders that are new. */
function replacedIn(before: string, after: string): string[] {
  const types = [...after.matchAll(PLACEHOLDER)].map((match) => match[1]!);
  for (const match of before.matchAll(PLACEHOLDER)) {
    const known = types.indexOf(match[1]!);
    if (known >= 0) types.splice(known, 1);
  }
  return types;
}

function add(report: RedactionReport, place: Place, tier: SecretFinding['tier'], type: string, field: string): void {
  if (tier === 'definite') report.definite++;
  else report.candidates++;
  if (report.findings.length < MOST) report.findings.push({ ...place, tier, type, field });
  else report.dropped_findings++;
}

/** RFC 6901 */
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
