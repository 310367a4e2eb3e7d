import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../../core/log/canonical-json.ts';
import { ANCHOR_EVERY, Chain, eventText } from '../../core/log/chain.ts';
import { manifestSigned } from '../../core/log/manifest.ts';
import { eventSchema, type SessionEvent } from '../../shared/events.ts';
import type { Verdict } from '../../shared/handoff.ts';
import { MANIFEST_SCHEMA_VERSION, type Manifest, manifestSchema } from '../../shared/session.ts';
import { ANCHORS, ARTIFACTS, artifactsNamed, EVENTS, MANIFEST, readArtifactName } from './layout.ts';

type Check = Verdict['checks'][number];

export interface CheckedSession {
  verdict: Verdict;
  manifest: Manifest | null;
  /** true when a known key signed it */
  signed: boolean;
}

/**
 * Checks one session of an unpacked bundle, byte by byte: every event by its link, the anchors, the artifacts by their
 * hash, the manifest by its signature. `publicKeyOf` gives the key that a key id names, from outside the bundle.
 */
export async function checkSessionFolder(
  folder: string,
  publicKeyOf: (keyId: string) => string | null,
): Promise<CheckedSession> {
  const odd = await irregular(folder);
  if (odd !== null) return { verdict: { ok: false, checks: [odd] }, manifest: null, signed: false };
  const checks: Check[] = [];
  const manifest = await readManifest(folder, checks);
  const log = await readLog(folder);
  checks.push(log.check);
  if (log.check.ok) {
    checks.push(await checkAnchors(folder, log.anchors), await checkArtifacts(folder, log.artifacts));
    if (manifest) checks.push(headCheck(manifest, log));
  }
  checks.push(...(await checkStrangers(folder)));
  const signed = manifest !== null && signatureChecks(manifest, publicKeyOf, checks);
  return { verdict: { ok: checks.every((check) => check.ok), checks }, manifest, signed };
}

/** Links and pipes are not read: they lead out of the bundle, or never end. */
async function irregular(folder: string): Promise<Check | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const odd = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
  return odd === undefined ? null : { id: 'files', ok: false, text: `${odd.name} is no plain file` };
}

async function readManifest(folder: string, checks: Check[]): Promise<Manifest | null> {
  try {
    const bytes = await readFile(join(folder, MANIFEST), 'utf8');
    const manifest = manifestSchema.parse(JSON.parse(bytes)) as Manifest;
    if (bytes !== `${canonicalJson(manifest)}\n`) throw new Error('it is not in canonical form');
    if (Number.parseInt(manifest.schema_version, 10) > Number.parseInt(MANIFEST_SCHEMA_VERSION, 10)) {
      const text = `The bundle was made by a newer sessionctl (form ${manifest.schema_version}): update this one`;
      checks.push({ id: 'version', ok: false, text });
      return null;
    }
    checks.push({ id: 'manifest', ok: true, text: 'The manifest is sound' });
    return manifest;
  } catch (error) {
    checks.push({ id: 'manifest', ok: false, text: `The manifest was changed: ${(error as Error).message}` });
    return null;
  }
}

interface Log {
  check: Check;
  events: number;
  head: string;
  anchors: string;
  artifacts: Set<string>;
}

/** Reads events.jsonl once. Stops at the first event that is not as it was written and names it. */
async function readLog(folder: string): Promise<Log> {
  const chain = new Chain();
  const log: Log = {
    check: { id: 'chain', ok: true, text: '' },
    events: 0,
    head: '',
    anchors: '',
    artifacts: new Set(),
  };
  const broken = (text: string, detail?: string): Log => ({
    ...log,
    check: { id: 'chain', ok: false, text, ...(detail ? { detail } : {}) },
  });
  try {
    for await (const { event, reason } of readEvents(join(folder, EVENTS))) {
      const seq = log.events;
      if (event === null) return broken(`Event ${seq} was changed: ${reason}`, `seq ${seq}`);
      const text = eventText(event);
      const link = `sha256:${chain.add(Buffer.from(text))}`;
      if (event.seq !== seq)
        return broken(`Event ${seq} is missing: event ${event.seq} (${event.type}) stands in its place`, `seq ${seq}`);
      if (link !== event.checksum)
        return broken(`Event ${seq} (${event.type}) was changed: its checksum does not match`, `seq ${seq}`);
      for (const ref of artifactsNamed(text)) log.artifacts.add(ref.slice('artifact:sha256:'.length));
      log.events++;
      log.head = link;
      if (log.events % ANCHOR_EVERY === 0) log.anchors += anchorLine(log.events, link);
    }
  } catch (error) {
    return broken(`${EVENTS} cannot be read: ${(error as Error).message}`);
  }
  log.check.text = `All ${log.events} events match their checksums`;
  return log;
}

export const anchorLine = (n: number, checksum: string): string => `${canonicalJson({ checksum, n })}\n`;

/** Events of a bundle's log in order. A line that is no event in canonical form comes as null with the reason. */
export async function* readEvents(
  path: string,
): AsyncGenerator<
  { event: SessionEvent; size: number; reason?: never } | { event: null; size: number; reason: string }
> {
  let bytes = 0;
  const input = createReadStream(path);
  // only \n ends a line; readline would also split at \r, which JSON escapes and a changed byte can be
  for await (const line of splitLines(input)) {
    bytes += line.length + 1;
    const event = parseEvent(line);
    const size = line.length;
    if (typeof event !== 'string') yield { event, size };
    else return yield { event: null, size, reason: event };
  }
  if (bytes !== input.bytesRead) yield { event: null, size: 0, reason: 'the last line has no end' };
}

async function* splitLines(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of input) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const part = chunk.subarray(from, at);
      yield rest.length === 0 ? part : Buffer.concat([...rest, part]);
      rest = [];
      from = at + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
}

function parseEvent(line: Buffer): SessionEvent | string {
  let json: unknown;
  try {
    json = JSON.parse(line.toString('utf8'));
  } catch {
    return 'it is not JSON';
  }
  const parsed = eventSchema.safeParse(json);
  if (!parsed.success) return `its ${parsed.error.issues[0]?.path.join('.') || 'form'} is not valid`;
  if (!Buffer.from(canonicalJson(json)).equals(line)) return 'it is not in canonical form';
  const { seq, parent_seq } = parsed.data;
  return parent_seq !== null && parent_seq >= seq ? 'its parent does not come before it' : (json as SessionEvent);
}

async function checkAnchors(folder: string, expected: string): Promise<Check> {
  const found = await readFile(join(folder, ANCHORS), 'utf8').catch(() => null);
  const ok = found === expected;
  return { id: 'anchors', ok, text: ok ? 'The anchors match the log' : `${ANCHORS} is not that of this log` };
}

async function checkArtifacts(folder: string, named: Set<string>): Promise<Check> {
  const left = new Set(named);
  for (const name of await readdir(join(folder, ARTIFACTS)).catch(() => [])) {
    const artifact = readArtifactName(name);
    // a folder, or a file that may not be read
    const hex = await sha256Of(join(folder, ARTIFACTS, name)).catch(() => null);
    if (!artifact || artifact.hex !== hex)
      return { id: 'artifacts', ok: false, text: `The artifact ${name} was changed` };
    if (!left.delete(hex)) return { id: 'artifacts', ok: false, text: `The artifact ${name} is named by no event` };
  }
  const [missing] = left;
  if (missing !== undefined) return { id: 'artifacts', ok: false, text: `The artifact ${missing} is missing` };
  return { id: 'artifacts', ok: true, text: `All ${named.size} artifacts match their hashes` };
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

function headCheck(manifest: Manifest, log: Log): Check {
  const ok =
    manifest.head === log.head &&
    manifest.event_count === log.events &&
    manifest.last_seq === Math.max(0, log.events - 1);
  return {
    id: 'head',
    ok,
    text: ok
      ? 'The signed head is the last event'
      : `The manifest speaks of ${manifest.event_count} events, the log holds ${log.events}`,
  };
}

const KNOWN = new Set([MANIFEST, EVENTS, ANCHORS, ARTIFACTS, 'checkpoints']);

async function checkStrangers(folder: string): Promise<Check[]> {
  // where the folder itself is none, the manifest's check has said so
  const strange = (await readdir(folder).catch(() => [])).filter((name) => !KNOWN.has(name));
  return strange.map((name) => ({ id: 'files', ok: false, text: `${name} does not belong to the bundle` }));
}

function signatureChecks(manifest: Manifest, publicKeyOf: (keyId: string) => string | null, checks: Check[]): boolean {
  const { key_id } = manifest.signature;
  const key = publicKeyOf(key_id);
  if (key === null) {
    checks.push({
      id: 'key',
      ok: false,
      text: `The key ${key_id} is not known here: give it with --key, from the person who made the bundle`,
    });
    return false;
  }
  const ok = manifestSigned(manifest, key);
  checks.push({
    id: 'signature',
    ok,
    text: ok ? `Signed by ${key_id}` : 'The signature of the manifest does not match',
  });
  return ok;
}
