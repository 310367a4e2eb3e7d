import type { Receipt } from '../../shared/handoff.ts';
import type { Manifest } from '../../shared/session.ts';
import type { Operation } from './contract.ts';
import type { Database } from './database.ts';
import { compress, decompress } from './segment.ts';

/** What the store keeps beside the logs: receipts, operations, manifests, settings. Writes run inside a transaction. */
export class Records {
  private readonly db: Database;
  private readonly insertReceipt;
  private readonly putOperation;
  private readonly putManifest;
  private readonly putSetting;

  constructor(db: Database) {
    this.db = db;
    this.insertReceipt = db.prepare('INSERT INTO receipt(position, id, session, body) VALUES(?, ?, ?, ?)');
    this.putOperation = db.prepare(
      `INSERT OR REPLACE INTO operation(id, kind, digest, state, step, data, updated)
       VALUES(@id, @kind, @digest, @state, @step, @data, @updated)`,
    );
    this.putManifest = db.prepare('INSERT OR REPLACE INTO manifest(session, version, body) VALUES(?, ?, ?)');
    this.putSetting = db.prepare('INSERT OR REPLACE INTO setting(key, value) VALUES(?, ?)');
  }

  receipts(query: { session?: string | undefined; offset: number; limit: number }): { total: number; rows: Receipt[] } {
    const filter = [query.session ?? null, query.session ?? null];
    const total = this.column<number>('SELECT count(*) FROM receipt WHERE ? IS NULL OR session = ?', ...filter)[0] ?? 0;
    const bodies = this.column<string>(
      'SELECT body FROM receipt WHERE ? IS NULL OR session = ? ORDER BY position DESC LIMIT ? OFFSET ?',
      ...filter,
      query.limit,
      query.offset,
    );
    return { total, rows: bodies.map((body) => JSON.parse(body) as Receipt) };
  }

  receipt(id: string): Receipt | null {
    return this.json<Receipt>('SELECT body FROM receipt WHERE id = ?', id);
  }

  lastReceipt(): Receipt | null {
    return this.json<Receipt>('SELECT body FROM receipt ORDER BY position DESC LIMIT 1');
  }

  addReceipt(receipt: Receipt): void {
    this.insertReceipt.run(receipt.position, receipt.id, receipt.session_id, JSON.stringify(receipt));
  }

  operation(id: string): Operation | null {
    const row = this.db
      .prepare<[string], Omit<Operation, 'data'> & { data: string }>('SELECT * FROM operation WHERE id = ?')
      .get(id);
    return row === undefined ? null : { ...row, data: JSON.parse(row.data) as Operation['data'] };
  }

  saveOperation(operation: Operation): void {
    this.putOperation.run({ ...operation, data: JSON.stringify(operation.data) });
  }

  manifest(session: string): Manifest | null {
    return this.json<Manifest>('SELECT body FROM manifest WHERE session = ?', session);
  }

  saveManifest(manifest: Manifest): void {
    this.putManifest.run(manifest.session_id, manifest.version, JSON.stringify(manifest));
  }

  setting(key: string): unknown {
    return this.json('SELECT value FROM setting WHERE key = ?', key);
  }

  saveSetting(key: string, value: unknown): void {
    this.putSetting.run(key, JSON.stringify(value ?? null));
  }

  private column<T>(sql: string, ...values: unknown[]): T[] {
    return this.db
      .prepare<unknown[], T>(sql)
      .pluck()
      .all(...values);
  }

  private json<T>(sql: string, ...values: unknown[]): T | null {
    const text = this.column<string>(sql, ...values)[0];
    return text === undefined ? null : (JSON.parse(text) as T);
  }
}

/** An artifact packed for the store; packing needs no transaction. */
export interface PackedArtifact {
  hash: Buffer;
  media_type: string;
  size: number;
  packed: boolean;
  data: Uint8Array;
}

const HASH = /^(?:artifact:)?sha256:([0-9a-f]{64})$/;

/** @param hash 64 hex digits */
export function packArtifact(hash: string, bytes: Uint8Array, mediaType: string): PackedArtifact {
  const smaller = compress(bytes);
  const packed = smaller.length < bytes.length * 0.9;
  return {
    hash: Buffer.from(hash, 'hex'),
    media_type: mediaType,
    size: bytes.length,
    packed,
    data: packed ? smaller : bytes,
  };
}

/** Bytes by their hash; the same bytes are kept once. */
export class Artifacts {
  private readonly insert;
  private readonly select;

  constructor(db: Database) {
    this.insert = db.prepare(
      'INSERT OR IGNORE INTO artifact(hash, media_type, size, packed, data) VALUES(?, ?, ?, ?, ?)',
    );
    this.select = db.prepare<[Buffer], { media_type: string; size: number; packed: number; data: Buffer }>(
      'SELECT media_type, size, packed, data FROM artifact WHERE hash = ?',
    );
  }

  /** Inside a transaction. */
  add(artifact: PackedArtifact): void {
    this.insert.run(artifact.hash, artifact.media_type, artifact.size, artifact.packed ? 1 : 0, artifact.data);
  }

  /** @param ref `artifact:sha256:<hex>` or `sha256:<hex>` */
  get(ref: string): { bytes: Uint8Array; media_type: string } | null {
    const hex = HASH.exec(ref)?.[1];
    const row = hex === undefined ? undefined : this.select.get(Buffer.from(hex, 'hex'));
    if (row === undefined) return null;
    return { bytes: row.packed === 1 ? decompress(row.data, row.size) : row.data, media_type: row.media_type };
  }
}
