import { isDeepStrictEqual } from 'node:util';
import { fail, ok, type Result } from '../../shared/errors.ts';
import { blankEnd, type Dialect, type JsonObject, type Member, parseJson } from './jsonc.ts';

/**
 * One member of a JSON file at a path, put in and taken out so that all else stays byte for byte. Taking out gives the bytes
 * of before, as long as nobody wrote into the file meanwhile: every way of putting it in looks different.
 */

/** The text with `value` at `path`, where nothing stands yet. null: there is no file. Errors: invalid_request, target_exists. */
export function withMember(
  text: string | null,
  path: readonly string[],
  value: unknown,
  dialect: Dialect,
): Result<string> {
  if (text === null || text.trim() === '')
    return ok(`${text ?? ''}${wholeFile(path, value)}${text === null ? '\n' : ''}`);
  const root = parseJson(text, dialect);
  if (!root.ok) return root;
  let object = root.value;
  for (const [depth, key] of path.entries()) {
    const found = memberOf(object, key);
    if (!found.ok) return found;
    const isLast = depth === path.length - 1;
    if (found.value === null) {
      const rest = path.slice(depth + 1);
      return ok(insert(text, object, { key, value: nest(rest, value), depth: depth + 1, style: styleOf(text) }));
    }
    if (isLast) return fail('target_exists', `${path.join('.')} is there already.`);
    if (found.value.value.kind !== 'object') return fail('invalid_request', `${key} is no object.`);
    object = found.value.value;
  }
  return fail('invalid_request', 'A path is needed.');
}

/** What stands at `path`: its value, or undefined. Errors: invalid_request. */
export function readMember(text: string, path: readonly string[], dialect: Dialect): Result<unknown> {
  const found = find(text, path, dialect);
  if (!found.ok) return found;
  if (found.value === null) return ok(undefined);
  const { start, end } = found.value.member.value;
  return ok(memberValue(text.slice(start, end), dialect));
}

/** The text without what stands at `path`; null: without it there was no file. Errors: invalid_request. */
export function withoutMember(text: string, path: readonly string[], dialect: Dialect): Result<string | null> {
  const value = readMember(text, path, dialect);
  if (!value.ok) return value;
  for (const before of beforeCandidates(text, path, dialect)) {
    const again = withMember(before, path, value.value, dialect);
    if (again.ok && again.value === text) return ok(before);
  }
  const found = find(text, path, dialect);
  if (!found.ok) return found;
  return ok(found.value === null ? text : cut(text, found.value.parent, found.value.member));
}

interface Style {
  indent: string;
  newline: string;
}

function styleOf(text: string): Style {
  return { indent: /\n([ \t]+)"/.exec(text)?.[1] ?? '  ', newline: text.includes('\r\n') ? '\r\n' : '\n' };
}

const nest = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight((inner, key) => ({ [key]: inner }), value);

const wholeFile = (path: readonly string[], value: unknown): string => JSON.stringify(nest(path, value), null, 2);

/** JSON of a value that stands `depth` objects deep. */
function pretty(value: unknown, depth: number, { indent, newline }: Style): string {
  return JSON.stringify(value, null, indent).replaceAll('\n', `${newline}${indent.repeat(depth)}`);
}

interface Insertion {
  key: string;
  value: unknown;
  /** objects around the member */
  depth: number;
  style: Style;
}

function insert(text: string, object: JsonObject, { key, value, depth, style }: Insertion): string {
  const member = `${JSON.stringify(key)}: ${pretty(value, depth, style)}`;
  const last = object.members.at(-1);
  if (last === undefined) return splice(text, object.start + 1, object.start + 1, ` ${member} `);
  const line = `${style.newline}${style.indent.repeat(depth)}${member}`;
  if (object.trailingComma !== null) {
    const at = endOfLine(text, object.trailingComma);
    return splice(text, at, at, `${line},`);
  }
  const at = endOfLine(text, last.value.end);
  return splice(splice(text, at, at, line), last.value.end, last.value.end, ',');
}

/** Behind a comment that stands in the rest of the line; `from` itself when more than that does. */
function endOfLine(text: string, from: number): number {
  const comment = /[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)(?=[ \t]*\r?\n)/y;
  comment.lastIndex = from;
  return from + (comment.exec(text)?.[0].length ?? 0);
}

const splice = (text: string, from: number, to: number, by: string): string =>
  text.slice(0, from) + by + text.slice(to);

function memberOf(object: JsonObject, key: string): Result<Member | null> {
  const found = object.members.filter((member) => member.key === key);
  return found.length > 1 ? fail('invalid_request', `${key} stands there twice.`) : ok(found[0] ?? null);
}

interface Found {
  parent: JsonObject;
  member: Member;
}

function find(text: string, path: readonly string[], dialect: Dialect): Result<Found | null> {
  if (text.trim() === '') return ok(null);
  const root = parseJson(text, dialect);
  if (!root.ok) return root;
  let parent = root.value;
  for (const [depth, key] of path.entries()) {
    const member = memberOf(parent, key);
    if (!member.ok) return member;
    if (member.value === null) return ok(null);
    if (depth === path.length - 1) return ok({ parent, member: member.value });
    if (member.value.value.kind !== 'object') return fail('invalid_request', `${key} is no object.`);
    parent = member.value.value;
  }
  return ok(null);
}

/** Comments and trailing commas go; they stand in no string of a value that we look at. */
function memberValue(text: string, dialect: Dialect): unknown {
  try {
    const plain = dialect.comments ? text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g, '$1') : text;
    return JSON.parse(plain.replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, '$1')) as unknown;
  } catch {
    return undefined;
  }
}

/** Texts into which the member may have been put. Which one it was, `withMember` tells. */
function* beforeCandidates(text: string, path: readonly string[], dialect: Dialect): Generator<string | null> {
  yield null;
  // a file of white space alone
  yield text.slice(0, text.length - text.trimStart().length);
  for (let length = path.length; length > 0; length--) {
    const found = find(text, path.slice(0, length), dialect);
    if (!found.ok || found.value === null) return;
    const { parent, member } = found.value;
    // an object of which it is the only member may have been made for it
    if (length < path.length && member.value.kind === 'object' && member.value.members.length !== 1) return;
    yield cut(text, parent, member);
    if (parent.members.length === 1) yield splice(text, parent.start + 1, member.value.end + 1, '');
  }
}

/** The text without a member and the comma that parts it from the next one, else from the one before; comments stay. */
function cut(text: string, parent: JsonObject, member: Member): string {
  const at = parent.members.indexOf(member);
  const before = parent.members[at - 1];
  const start = lineStart(text, member.start);
  if (at < parent.members.length - 1 || parent.trailingComma !== null) {
    const comma = commaBehind(text, member);
    // in `{"a": 1, "b": 2}` the space behind the comma goes with it
    const isFirstOfLine = start === parent.start + 1 && start === member.start;
    const end = isFirstOfLine && text[comma + 1] === ' ' ? comma + 2 : comma + 1;
    return splice(splice(text, comma, end, ''), start, member.value.end, '');
  }
  const rest = splice(text, start, member.value.end, '');
  if (before === undefined) return rest;
  const comma = commaBehind(text, before);
  return splice(rest, comma, comma + 1, '');
}

/** Where the white space before a member begins, with the line break in it. */
function lineStart(text: string, start: number): number {
  return /(?:\r?\n)?[ \t]*$/.exec(text.slice(0, start))?.index ?? start;
}

const commaBehind = (text: string, member: Member): number => blankEnd(text, member.value.end, true);

/** Two values of JSON that say the same. */
export const sameValue = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a, b);
