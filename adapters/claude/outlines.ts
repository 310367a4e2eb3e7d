import { closeSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readJsonl } from '../io/jsonl.ts';
import { openFile } from '../io/open-file.ts';
import { isObject, type NativeRecord, text } from './record.ts';
import { namesIn } from './side-files.ts';

/** What of a session file tells whether another one was copied from it. */
export interface Outline {
  id: string;
  /** chain records by uuid in the order of the file, with their times in ms */
  records: ReadonlyMap<string, number>;
  /** time of the first of them */
  began: number;
  /** a line ahead of the first record is younger than it */
  late: boolean;
  /** session ids that its chain records name */
  named: ReadonlySet<string>;
}

/** First record of each file of a folder, by its uuid; files that were not there are looked for again after a moment. */
interface Folder {
  at: number;
  known: Set<string>;
  byRoot: Map<string, string[]>;
  /** size and time of files as they were after that moment */
  stats: Map<string, Stat | undefined>;
}

type Stat = { size: number; mtimeMs: number };

const FRESH_MS = 2000;
/** Far more than stands ahead of the first prompt, and the prompt itself; a file whose first record ends later has no siblings. */
const HEAD_BYTES = [16 * 1024, 1024 * 1024];
const MAX_LINE = 256 * 1024 * 1024;
/** Of more siblings than the first figure so many are looked at, and not more bytes of them. */
const FEW_SIBLINGS = 8;
const MAX_SIBLINGS = 64;
const MAX_SIBLING_BYTES = 64 << 20;
/** Records of outlines that are kept, since each member of a family is compared with all others. */
const MAX_KEPT = 200_000;

const folders = new Map<string, Folder>();
const outlines = new Map<string, { mark: string; outline: Outline }>();

/** Whether a record is the first of a chain. */
export function isRootOf({ type, uuid, parentUuid }: NativeRecord): boolean {
  return typeof uuid === 'string' && typeof parentUuid !== 'string' && type !== 'progress';
}

/**
 * Other session files of the folder that begin with the same record, the one with the id `named` first. Of a large family those
 * alone that were written last nearest in time to this one, among which the file is that it was copied from: else
 * the work would grow with the square of the family.
 */
export function siblingsOf(path: string, root: string, named: string | undefined): string[] {
  const { byRoot, stats } = folderOf(dirname(path));
  const others = (byRoot.get(root) ?? []).filter((other) => other !== path);
  if (others.length <= FEW_SIBLINGS) return others;
  const own = statOf(path, stats)?.mtimeMs ?? 0;
  const original = join(dirname(path), `${named}.jsonl`);
  const known = others.flatMap((other) => {
    const found = statOf(other, stats);
    if (found === undefined) return [];
    const distance = other === original ? -1 : Math.abs(found.mtimeMs - own);
    return [{ other, bytes: found.size, distance }];
  });
  known.sort((a, b) => a.distance - b.distance || (a.other < b.other ? -1 : 1));
  let bytes = 0;
  const near = known.filter((one, i) => {
    bytes += one.bytes;
    return i < FEW_SIBLINGS || (i < MAX_SIBLINGS && bytes <= MAX_SIBLING_BYTES);
  });
  return near.map(({ other }) => other);
}

function statOf(path: string, stats: Folder['stats']): Stat | undefined {
  if (!stats.has(path)) stats.set(path, statSync(path, { throwIfNoEntry: false }));
  return stats.get(path);
}

function folderOf(path: string): Folder {
  let folder = folders.get(path);
  if (folder === undefined) {
    folder = { at: 0, known: new Set(), byRoot: new Map(), stats: new Map() };
    folders.set(path, folder);
  }
  if (Date.now() - folder.at < FRESH_MS) return folder;
  for (const name of namesIn(path)) {
    if (folder.known.has(name) || !name.endsWith('.jsonl') || name.startsWith('agent-')) continue;
    const root = firstRoot(join(path, name));
    if (root === undefined) continue;
    folder.known.add(name);
    const same = folder.byRoot.get(root);
    if (same === undefined) folder.byRoot.set(root, [join(path, name)]);
    else same.push(join(path, name));
  }
  folder.stats.clear();
  folder.at = Date.now();
  return folder;
}

/** The uuid of a file's first chain record, from as little of the file as holds it. */
function firstRoot(path: string): string | undefined {
  for (const bytes of HEAD_BYTES) {
    const head = headOf(path, bytes);
    const lines = head.split('\n');
    // the last line is cut, or empty
    for (const line of lines.slice(0, -1)) {
      if (!line.includes('"uuid"')) continue;
      const record = parsed(line);
      if (record !== undefined && isRootOf(record)) return text(record.uuid);
    }
    if (head.length < bytes) return undefined;
  }
  return undefined;
}

function headOf(path: string, bytes: number): string {
  try {
    const file = openFile(path);
    try {
      const buffer = Buffer.alloc(bytes);
      return buffer.toString('latin1', 0, readSync(file, buffer, 0, bytes, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

function parsed(line: string): NativeRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a file's outline; undefined when it cannot be read. */
export function outlineOf(path: string): Outline | undefined {
  try {
    const { size, mtimeMs } = statSync(path);
    const mark = `${size} ${mtimeMs}`;
    const known = outlines.get(path);
    const outline = known?.mark === mark ? known.outline : readOutline(path);
    // behind the others: those that were not asked for longest are forgotten first
    outlines.delete(path);
    outlines.set(path, { mark, outline });
    if (known?.outline !== outline) forgetOld();
    return outline;
  } catch {
    return undefined;
  }
}

function forgetOld(): void {
  let kept = 0;
  for (const [path, { outline }] of [...outlines].reverse()) {
    kept += outline.records.size;
    if (kept > MAX_KEPT) outlines.delete(path);
  }
}

function readOutline(path: string): Outline {
  const records = new Map<string, number>();
  const named = new Set<string>();
  let ahead = Number.NEGATIVE_INFINITY;
  for (const batch of readJsonl(path, { redactor: null, maxLineBytes: MAX_LINE })) {
    for (const { records: found } of batch) {
      for (const record of found) {
        if (!isObject(record)) continue;
        const at = Date.parse(text(record.timestamp) ?? '');
        if (typeof record.uuid === 'string') {
          if (!records.has(record.uuid)) records.set(record.uuid, at);
          if (typeof record.sessionId === 'string') named.add(record.sessionId);
        } else if (records.size === 0 && at > ahead) ahead = at;
      }
    }
  }
  const [began = Number.NaN] = records.values();
  return { id: basename(path, '.jsonl'), records, began, late: ahead > began, named };
}
