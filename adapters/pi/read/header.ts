import { basename } from 'node:path';
import type { SessionStart } from '../../../src/shared/events.ts';
import type { CaptureSink, NativeParent } from '../../contract.ts';
import { readJsonl } from '../../io/jsonl.ts';
import { isObject, type Json, text } from '../json.ts';
import { leftOver } from '../pack.ts';
import { idOfName } from '../places.ts';

/** What the first line says about a session. JSON, kept with the cursor. */
export interface Header {
  id: string;
  /** file that it was forked from, with the id of that session */
  fork: { path: string; id: string } | null;
  /** time of the header, ms; NaN is written as null */
  at: number | null;
}

export function isHeader(record: unknown): record is Json & { id: string } {
  return isObject(record) && record.type === 'session' && typeof record.id === 'string';
}

/** The header of a file, undefined when its first record is none. Lines that cannot be read are passed over, as Pi does. */
export function headerOf(path: string): Json | undefined {
  for (const batch of readJsonl(path, { redactor: null, chunkBytes: 64 * 1024 })) {
    for (const { records } of batch) if (records.length > 0) return isHeader(records[0]) ? records[0] : undefined;
  }
  return undefined;
}

export function readHeader(record: Json): Header {
  const parent = text(record.parentSession);
  const at = Date.parse(text(record.timestamp) ?? '');
  return {
    id: String(record.id),
    fork: parent === undefined || parent === '' ? null : { path: parent, id: idAt(parent) },
    at: Number.isNaN(at) ? null : at,
  };
}

/** The id of the session in another file: by its header, or by its name where it is not here (any more). */
function idAt(path: string): string {
  try {
    const header = headerOf(path);
    if (header !== undefined) return String(header.id);
  } catch {
    // the file of another machine, or one that was deleted
  }
  return idOfName(basename(path));
}

export function parentOf(header: Header | null): NativeParent | undefined {
  return header?.fork == null ? undefined : { kind: 'fork', native_id: header.fork.id };
}

/** Whether a record was copied from the parent when this session was forked off: it is older than the fork's own header. */
export function copiedFrom(header: Header | null, time: unknown): string | null {
  if (header?.fork == null || header.at === null || typeof time !== 'string') return null;
  return Date.parse(time) < header.at ? header.fork.id : null;
}

const MAPPED: ReadonlySet<string> = new Set(['type', 'cwd']);

/** The session's first event. Version 1 names the model there. */
export function startOf(record: Json): SessionStart {
  const cwd = text(record.cwd);
  const model = text(record.modelId) ?? text(record.model)?.split('/').slice(1).join('/');
  const level = text(record.thinkingLevel);
  const parent = text(record.parentSession);
  return {
    cwd: cwd === undefined || cwd === '' ? null : cwd,
    ...(model === undefined || model === '' ? {} : { model }),
    ...(level === undefined ? {} : { config: { thinking_level: level } }),
    ...(parent === undefined ? {} : { native_parent: parent }),
    native: { ...leftOver(record, MAPPED), ...(cwd === undefined || cwd === '' ? { $cwd: record.cwd } : {}) },
  };
}

/** Canonical id of the session that this one was forked from. */
export function forkedFrom(header: Header, sink: CaptureSink): string | null {
  return header.fork === null ? null : sink.idOf({ path: header.fork.path, native_id: header.fork.id });
}
