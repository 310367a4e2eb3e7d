import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sessionIdPattern } from '../../shared/session.ts';

/**
 * The exchange form of a session: `sessions/<id>/` with manifest.json, events.jsonl, events.jsonl.ckpt and artifacts/.
 * The same log gives the same bytes.
 */
export const MANIFEST = 'manifest.json';
export const EVENTS = 'events.jsonl';
export const ANCHORS = 'events.jsonl.ckpt';
export const ARTIFACTS = 'artifacts';

export const sessionFolder = (root: string, id: string): string => join(root, 'sessions', id);

/** Ids of the sessions in an unpacked bundle, in order. */
export function sessionsIn(root: string): string[] {
  try {
    return readdirSync(join(root, 'sessions'))
      .filter((name) => sessionIdPattern.test(name))
      .sort();
  } catch {
    return [];
  }
}

export const isBundleFolder = (path: string): boolean => sessionsIn(path).length > 0;

const EXTENSIONS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'text/plain': 'txt',
};
const TYPES = new Map(Object.entries(EXTENSIONS).map(([type, extension]) => [extension, type]));

/** File name of an artifact: its hash, and an extension that says what it is. */
export function artifactName(hex: string, mediaType: string): string {
  return `${hex}.${EXTENSIONS[mediaType.split(';')[0] ?? ''] ?? 'bin'}`;
}

/** Hash and type of an artifact's file name; null = not one. */
export function readArtifactName(name: string): { hex: string; mediaType: string } | null {
  const match = /^([0-9a-f]{64})\.([a-z]+)$/.exec(name);
  const [, hex, extension] = match ?? [];
  if (hex === undefined || extension === undefined) return null;
  return { hex, mediaType: TYPES.get(extension) ?? 'application/octet-stream' };
}

/** Artifacts that an event's text names. */
export function artifactsNamed(text: string): string[] {
  return text.match(/artifact:sha256:[0-9a-f]{64}/g) ?? [];
}
