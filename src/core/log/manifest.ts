import { MANIFEST_SCHEMA_VERSION, type Manifest, type SessionRow } from '../../shared/session.ts';
import { sha256Ref } from '../hash.ts';
import { type Signer, signJson, verifyJson } from './sign.ts';

/** What a manifest needs beyond the session's row. */
export interface ManifestFacts {
  row: Pick<SessionRow, 'id' | 'agent' | 'native_id' | 'cwd' | 'parent' | 'parent_kind' | 'events'>;
  /** hex of the chain's head */
  head: string;
  /** oldest known ancestor */
  root: string;
  adapterVersion: string;
  gitHead?: string | null;
  owner?: { agent: string; granted_at: number | null };
  compiled?: Manifest['compiled_context'];
  version: number;
}

/** Builds and signs the manifest of a session at its present head. The raw cwd is not in it, only its hash and last name. */
export function signManifest(facts: ManifestFacts, signer: Signer): Manifest {
  const { row } = facts;
  const project = projectName(row.cwd);
  const body: Omit<Manifest, 'signature'> = {
    schema_version: MANIFEST_SCHEMA_VERSION,
    session_id: row.id,
    session_uri: sessionUri(row),
    project: { name: project, cwd_hash: row.cwd === null ? null : sha256Ref(row.cwd), git_head: facts.gitHead ?? null },
    created_by: { agent: row.agent, adapter_version: facts.adapterVersion, session_id: row.native_id },
    current_owner: facts.owner ?? { agent: row.agent, granted_at: null },
    parent_session: row.parent,
    lineage: {
      root: facts.root,
      fork_of: row.parent_kind === 'fork' || row.parent_kind === 'handoff' ? row.parent : null,
      merged_into: null,
    },
    event_count: row.events,
    first_seq: 0,
    last_seq: Math.max(0, row.events - 1),
    head: `sha256:${facts.head}`,
    compiled_context: facts.compiled ?? null,
    version: facts.version,
  };
  return { ...body, signature: { alg: 'ed25519', key_id: signer.keyId, sig: signJson(body, signer) } } as Manifest;
}

/** True when the signature covers exactly this manifest and was made by the given key (raw, base64). */
export function manifestSigned(manifest: Manifest, publicKey: string): boolean {
  const { signature, ...body } = manifest;
  return verifyJson(body, signature.sig, publicKey);
}

/** Name of a session that says whose it is and of which project; it names nothing that could be fetched. */
export function sessionUri({ id, agent, cwd }: Pick<SessionRow, 'id' | 'agent' | 'cwd'>): string {
  return `session://local/${segment(projectName(cwd))}/${segment(agent)}/${id}`;
}

function projectName(cwd: string | null): string {
  if (cwd === null) return 'unknown';
  return cwd.split(/[\\/]/).filter(Boolean).at(-1) ?? 'root';
}

/** One path segment of a session URI: SPIFFE's letters; all others become `-`. */
function segment(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 80) || 'unknown';
}
