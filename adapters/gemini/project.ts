import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readText } from '../io/open-file.ts';
import { isHashFolder, PROJECT_ROOT, projectHash, projectsFolder } from './home.ts';
import { isObject } from './read/record.ts';

/** Projects by path, as `projects.json` lists them: path → slug. Empty where there is none, or none that can be read. */
export function registeredProjects(home: string): Map<string, string> {
  try {
    const parsed: unknown = JSON.parse(readText(join(home, 'projects.json')));
    const projects = isObject(parsed) && isObject(parsed.projects) ? Object.entries(parsed.projects) : [];
    return new Map(projects.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map();
  }
}

/** Path that a project's folder is marked with; null = it is not. */
export function markedRoot(folder: string): string | null {
  try {
    const root = readText(join(folder, PROJECT_ROOT)).trim();
    return root === '' ? null : root;
  } catch {
    return null;
  }
}

/**
 * The project that a folder below `tmp` belongs to: its mark, else the registry. A folder of an old version is named by a
 * hash, which only a known path can match. null = not known; it is never guessed.
 */
export function projectOf(folder: string): string | null {
  const marked = markedRoot(folder);
  if (marked !== null) return marked;
  const home = dirname(dirname(folder));
  const slug = basename(folder);
  const projects = registeredProjects(home);
  for (const [path, known] of projects) if (known === slug) return path;
  if (!isHashFolder(slug)) return null;
  const paths = [...projects.keys(), ...markedRoots(home)];
  return paths.find((path) => projectHash(path) === slug) ?? null;
}

function markedRoots(home: string): string[] {
  const tmp = projectsFolder(home);
  try {
    return readdirSync(tmp).flatMap((name) => markedRoot(join(tmp, name)) ?? []);
  } catch {
    return [];
  }
}

/** Folder of a project by the rules of the client: registered and not another's, else marked, else a new name. */
export function slugOf(home: string, root: string): string {
  const bases = [projectsFolder(home), join(home, 'history')];
  const projects = registeredProjects(home);
  const registered = projects.get(root);
  if (registered !== undefined && bases.every((base) => isOurs(join(base, registered), root))) return registered;
  for (const base of bases) {
    const marked = folders(base).find((name) => markedRoot(join(base, name)) === root);
    if (marked !== undefined) return marked;
  }
  const taken = new Set([...projects].flatMap(([path, slug]) => (path === root ? [] : [slug])));
  const slug = slugify(basename(root));
  for (let n = 0; ; n++) {
    const candidate = n === 0 ? slug : `${slug}-${n}`;
    if (!taken.has(candidate) && bases.every((base) => isOurs(join(base, candidate), root))) return candidate;
  }
}

function isOurs(folder: string, root: string): boolean {
  const marked = markedRoot(folder);
  return marked === null || marked === root;
}

function folders(base: string): string[] {
  try {
    return readdirSync(base).sort();
  } catch {
    return [];
  }
}

function slugify(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return plain === '' ? 'project' : plain;
}
