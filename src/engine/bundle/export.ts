import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { privateFolder } from '../../../adapters/io/private-folder.ts';
import { sha256Hex } from '../../core/hash.ts';
import { canonicalJson } from '../../core/log/canonical-json.ts';
import { ANCHOR_EVERY } from '../../core/log/chain.ts';
import { AppFailure, fail, ok, type Result, toAppError, unwrap } from '../../shared/errors.ts';
import type { Manifest, SessionRow } from '../../shared/session.ts';
import { signedAtHead } from '../sessions/manifest.ts';
import type { Store, StoreReader } from '../store/contract.ts';
import { secretsIn } from '../verify/secrets-in.ts';
import { anchorLine } from './check.ts';
import { ANCHORS, ARTIFACTS, artifactName, artifactsNamed, EVENTS, MANIFEST, sessionFolder } from './layout.ts';
import { pack } from './tar.ts';

export interface ExportedBundle {
  path: string;
  session: string;
  events: number;
  artifacts: number;
  head: string;
  key_id: string;
  receipt: string;
}

/**
 * Writes one session as a bundle: a folder, or a .tar or .tar.zst file. It appears whole or not at all; what exists is
 * never replaced. The bytes are looked through for secrets once more, under today's rules: a log cannot be redacted without
 * breaking its chain, so a finding stops the export unless it is allowed.
 * Errors: target_exists, write_failed, scope_denied (secrets found), cancelled.
 */
export async function exportBundle(
  store: Store,
  row: SessionRow,
  target: string,
  options: { allowSecrets: boolean; signal?: AbortSignal | undefined },
): Promise<Result<ExportedBundle>> {
  if (await stat(target).catch(() => null))
    return fail('target_exists', `${target} exists already. Choose another name.`, { path: target });
  let temp: string | null = null;
  try {
    await mkdir(dirname(target), { recursive: true });
    temp = await privateFolder(dirname(target), `.${basename(target)}`);
    const manifest = unwrap(await signedAtHead(store, row));
    const artifacts = await writeSession(store.reader, manifest, temp, options.signal);
    if (!options.allowSecrets) await refuseSecrets(sessionFolder(temp, row.id));
    goOn(options.signal);
    await place(temp, target);
    const receipt = await recordExport(store, manifest, target);
    const { event_count, head, signature } = manifest;
    const { key_id } = signature;
    return ok({ path: target, session: row.id, events: event_count, artifacts, head, key_id, receipt });
  } catch (error) {
    if (error instanceof AppFailure) return { ok: false, error: toAppError(error) };
    return fail(
      'write_failed',
      `${target} could not be written: ${(error as Error).message}. Nothing was left behind.`,
      { path: target },
    );
  } finally {
    if (temp !== null) await rm(temp, { recursive: true, force: true });
  }
}

function goOn(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new AppFailure({ code: 'cancelled', message: 'The export was stopped. Nothing was left behind.' });
}

async function refuseSecrets(folder: string): Promise<void> {
  const found = await secretsIn(join(folder, EVENTS));
  if (found === 0) return;
  throw new AppFailure({
    code: 'scope_denied',
    message: `${found} texts of this session look like secrets under today's rules. Export it all the same with --allow-secrets.`,
    details: { found },
  });
}

/** An export that cannot be recorded did not take place. */
async function recordExport(store: Store, manifest: Manifest, target: string): Promise<string> {
  const { session_id, head, last_seq, version } = manifest;
  const decided = await store.writer.decide({
    receipt: {
      version: 1,
      id: `rcpt_${randomBytes(10).toString('hex')}`,
      action: 'export',
      at: new Date().toISOString(),
      actor: 'user',
      session_id,
      subjects: [
        { name: 'source', sha256: head.slice('sha256:'.length), session: session_id, seq: last_seq },
        { name: 'manifest', sha256: sha256Hex(canonicalJson(manifest)) },
      ],
      facts: { form: 'bundle', path: target, manifest_version: version },
    },
  });
  if (decided.ok) return decided.value.receipt!.id;
  await rm(target, { recursive: true, force: true });
  throw new AppFailure(decided.error);
}

/** Writes the log up to the manifest's head; events that came since are not part of it. Returns the number of artifacts. */
async function writeSession(
  reader: StoreReader,
  manifest: Manifest,
  root: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const folder = sessionFolder(root, manifest.session_id);
  await mkdir(join(folder, ARTIFACTS), { recursive: true, mode: 0o700 });
  await writeFile(join(folder, MANIFEST), `${canonicalJson(manifest)}\n`, { mode: 0o600 });
  const named = new Set<string>();
  let anchors = '';
  async function* lines(): AsyncGenerator<string> {
    for await (const events of reader.log(manifest.session_id)) {
      goOn(signal);
      let text = '';
      for (const event of events) {
        if (event.seq > manifest.last_seq) break;
        const line = canonicalJson(event);
        for (const ref of artifactsNamed(line)) named.add(ref);
        if ((event.seq + 1) % ANCHOR_EVERY === 0) anchors += anchorLine(event.seq + 1, event.checksum);
        text += `${line}\n`;
      }
      if (text !== '') yield text;
    }
  }
  await pipeline(lines, createWriteStream(join(folder, EVENTS), { mode: 0o600 }));
  await writeFile(join(folder, ANCHORS), anchors, { mode: 0o600 });
  for (const ref of named) await writeArtifact(reader, ref, join(folder, ARTIFACTS));
  return named.size;
}

async function writeArtifact(reader: StoreReader, ref: string, folder: string): Promise<void> {
  const artifact = await reader.artifact(ref);
  if (!artifact)
    throw new AppFailure({
      code: 'store_corrupt',
      message: `The store has no ${ref}, which an event names. Run \`sessionctl verify\`.`,
    });
  const hex = ref.slice('artifact:sha256:'.length);
  await writeFile(join(folder, artifactName(hex, artifact.media_type)), artifact.bytes, { mode: 0o600 });
}

async function place(temp: string, target: string): Promise<void> {
  if (!/\.tar(\.zst)?$/.test(target)) return rename(temp, target);
  const packed = `${temp}.part`;
  try {
    await pack(temp, packed, target.endsWith('.zst'));
    await rename(packed, target);
  } finally {
    await rm(packed, { force: true });
  }
}
