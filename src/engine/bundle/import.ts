import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { privateFolder } from '../../../adapters/io/private-folder.ts';
import type { ReceiptDraft } from '../../core/log/receipt.ts';
import { type ErrorCode, fail, ok, type Result } from '../../shared/errors.ts';
import type { EventDraft, SessionEvent } from '../../shared/events.ts';
import type { Verdict } from '../../shared/handoff.ts';
import type { Manifest } from '../../shared/session.ts';
import { inheritedOf } from '../sessions/inherit.ts';
import type { Inherited, Store } from '../store/contract.ts';
import { type CheckedSession, checkSessionFolder, readEvents } from './check.ts';
import { ARTIFACTS, artifactsNamed, EVENTS, readArtifactName, sessionFolder, sessionsIn } from './layout.ts';
import { unpack } from './tar.ts';

export interface ImportedBundle {
  /** `signed`: the signature was checked with a key that is known here; `key_id` names the key that made it */
  sessions: { id: string; events: number; added: boolean; signed: boolean; key_id: string }[];
}

type KeyOf = (keyId: string) => string | null;

/** Checks a bundle: a folder, .tar or .tar.zst. Errors: not_a_session, chain_broken for an archive that is damaged. */
export function verifyBundle(
  path: string,
  keyOf: KeyOf,
): Promise<Result<{ sessions: { id: string; verdict: Verdict }[] }>> {
  return withFolder(path, async (root) => {
    const sessions = [];
    for (const id of sessionsIn(root)) sessions.push({ id, verdict: (await check(root, id, keyOf)).verdict });
    return ok({ sessions });
  });
}

async function check(root: string, id: string, keyOf: KeyOf): Promise<CheckedSession> {
  const checked = await checkSessionFolder(sessionFolder(root, id), keyOf);
  if (checked.manifest && checked.manifest.session_id !== id) {
    checked.verdict.checks.push({
      id: 'folder',
      ok: false,
      text: `The folder ${id} holds the session ${checked.manifest.session_id}`,
    });
    checked.verdict.ok = false;
  }
  return checked;
}

/** Unpacks an archive for the time of `use`. */
async function withFolder<T>(path: string, use: (root: string) => Promise<Result<T>>): Promise<Result<T>> {
  const found = await stat(path).catch(() => null);
  if (!found) return fail('source_unreadable', `There is no ${path}.`, { path });
  const root = found.isDirectory() ? path : await privateFolder(tmpdir(), 'sessionctl-bundle');
  try {
    const unpacked = found.isDirectory() ? ok(undefined) : await unpack(path, root);
    if (!unpacked.ok) return unpacked;
    if (sessionsIn(root).length === 0)
      return fail('not_a_session', `${path} is no bundle: it holds no sessions/<id>.`, { path });
    return await use(root);
  } finally {
    if (root !== path) await rm(root, { recursive: true, force: true });
  }
}

/** Errors of checks; all others are `chain_broken`. */
const CODES: Record<string, ErrorCode> = { signature: 'signature_invalid', version: 'store_version_too_new' };

/**
 * Takes a bundle's sessions into the store. Everything is checked first; a damaged bundle changes nothing. A session that is
 * here already is gone on with when the bundle holds more of the same log.
 * Errors: chain_broken, signature_invalid, target_exists (another log under the same id), cancelled: what is there then is a sound
 * beginning that the next import goes on with.
 */
export function importBundle(
  store: Store,
  path: string,
  keyOf: KeyOf,
  signal?: AbortSignal,
): Promise<Result<ImportedBundle>> {
  return withFolder(path, async (root) => {
    const sound: CheckedSession[] = [];
    for (const id of sessionsIn(root)) {
      if (signal?.aborted) return stopped();
      const checked = await check(root, id, keyOf);
      const bad = checked.verdict.checks.find((one) => !one.ok && one.id !== 'key');
      if (bad)
        return fail(CODES[bad.id] ?? 'chain_broken', `${path} was not imported. ${bad.text}.`, {
          session: id,
          check: bad,
        });
      sound.push(checked);
    }
    const sessions: ImportedBundle['sessions'] = [];
    for (const { manifest, signed } of sound) {
      const { session_id: id, event_count: events } = manifest!;
      const added = await importSession(store, sessionFolder(root, id), manifest!, signal);
      const recorded =
        added.ok && added.value ? await store.writer.decide({ receipt: receiptOf(manifest!, path, signed) }) : added;
      if (!added.ok) return added;
      if (!recorded.ok) return recorded;
      sessions.push({ id, events, added: added.value, signed, key_id: manifest!.signature.key_id });
    }
    return ok({ sessions });
  });
}

function receiptOf({ session_id, head, last_seq, signature }: Manifest, path: string, signed: boolean): ReceiptDraft {
  return {
    version: 1,
    id: `rcpt_${randomBytes(10).toString('hex')}`,
    action: 'import',
    at: new Date().toISOString(),
    actor: 'user',
    session_id,
    subjects: [{ name: 'head', sha256: head.slice('sha256:'.length), session: session_id, seq: last_seq }],
    facts: { form: 'bundle', path, key_id: signature.key_id, signed },
  };
}

/** A decision's measure. A killed import leaves a sound beginning that the next one goes on with. */
const BATCH = { events: 2000, bytes: 32 << 20 };

const stopped = (): Result<never> => fail('cancelled', 'The import was stopped. The same again goes on with it.');

async function importSession(
  store: Store,
  folder: string,
  manifest: Manifest,
  signal: AbortSignal | undefined,
): Promise<Result<boolean>> {
  const id = manifest.session_id;
  const here = await store.reader.session(id);
  const before = here === null ? 0 : await store.reader.inherited(id);
  const known = (here?.events ?? 0) - before;
  const shared = await sameLog(store, id, folder, { before, n: Math.min(known, manifest.event_count) });
  if (!shared)
    return fail('target_exists', `${id} is in the store with another log than in the bundle. Nothing was changed.`, {
      session: id,
    });
  if (known >= manifest.event_count) return ok(false);
  const files = new ArtifactFiles(join(folder, ARTIFACTS));
  const inherits = here === null ? await inheritedBy(store, folder) : null;
  const shift = inherits?.events ?? before;
  let create = here === null;
  let drafts: EventDraft[] = [];
  let artifacts: Artifact[] = [];
  let bytes = 0;
  const flush = async (): Promise<Result<unknown>> => {
    const decided = await store.writer.decide({
      ...(create ? { create: [{ ...genesis(manifest), ...(inherits && { inherits }) }] } : {}),
      artifacts,
      append: [{ session: id, drafts }],
    });
    create = false;
    [drafts, artifacts, bytes] = [[], [], 0];
    return decided;
  };
  for await (const { event, size } of readEvents(join(folder, EVENTS))) {
    if (event === null || event.seq < known) continue;
    const named = await files.namedBy(event);
    drafts.push(draftOf(event, shift));
    artifacts.push(...named);
    bytes += named.reduce((sum, artifact) => sum + artifact.bytes.length, size);
    if (drafts.length < BATCH.events && bytes < BATCH.bytes) continue;
    const flushed = await flush();
    if (!flushed.ok) return flushed;
    if (signal?.aborted) return stopped();
  }
  const flushed = drafts.length > 0 ? await flush() : ok(undefined);
  return flushed.ok ? ok(true) : flushed;
}

function genesis(manifest: Manifest) {
  const { agent, session_id } = manifest.created_by;
  const kind = manifest.parent_session === null ? null : ('fork' as const);
  return {
    id: manifest.session_id,
    agent,
    native_id: session_id,
    source: null,
    parent: manifest.parent_session,
    parent_kind: kind,
  };
}

/** `shift`: how many events the session has from before its own log; parents are named as it is read. */
function draftOf({ seq: _seq, checksum: _checksum, ...draft }: SessionEvent, shift: number): EventDraft {
  if (shift === 0 || draft.parent_seq === null) return draft;
  return { ...draft, parent_seq: draft.parent_seq + shift };
}

/** What a fork goes on from, when that very session is here up to that event; else it is read on its own. */
async function inheritedBy(store: Store, folder: string): Promise<Inherited | null> {
  for await (const { event } of readEvents(join(folder, EVENTS)))
    return event === null ? null : inheritedOf(store.reader, event);
  return null;
}

/** True when the first `n` events are the same in store and bundle: the checksum of the last one says so. */
async function sameLog(store: Store, id: string, folder: string, { before, n }: { before: number; n: number }) {
  if (n === 0) return true;
  const [mine] = await store.reader.eventsAt(id, [before + n - 1]);
  for await (const { event } of readEvents(join(folder, EVENTS)))
    if (event?.seq === n - 1) return event.checksum === mine?.checksum;
  return false;
}

interface Artifact {
  bytes: Uint8Array;
  media_type: string;
}

/** A bundle's artifacts, each given once: with the first event that names it. */
class ArtifactFiles {
  readonly #folder: string;
  #names: Map<string, string> | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async namedBy(event: SessionEvent): Promise<Artifact[]> {
    this.#names ??= await this.#list();
    const found: Artifact[] = [];
    for (const ref of artifactsNamed(JSON.stringify(event))) {
      const name = this.#names.get(ref);
      if (name === undefined) continue;
      this.#names.delete(ref);
      const bytes = await readFile(join(this.#folder, name));
      found.push({ bytes, media_type: readArtifactName(name)!.mediaType });
    }
    return found;
  }

  async #list(): Promise<Map<string, string>> {
    const names = new Map<string, string>();
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const artifact = readArtifactName(name);
      if (artifact) names.set(`artifact:sha256:${artifact.hex}`, name);
    }
    return names;
  }
}
