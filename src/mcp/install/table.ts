import { fail, ok, type Result } from '../../shared/errors.ts';
import { readToml, type TomlTable } from './toml.ts';

/** A table with plain values, as it stands in a TOML file. */
export interface Table {
  path: readonly string[];
  entries: Readonly<Record<string, string | readonly string[]>>;
}

/**
 * The text with a table at its end; all else stays byte for byte. null: there is no file. Errors: target_exists;
 * invalid_request when it is no TOML, or the table cannot be added to what is there.
 */
export function withTable(text: string | null, table: Table): Result<string> {
  const tables = readToml(text ?? '');
  if (!tables.ok) return tables;
  if (partsOf(tables.value, table.path).length > 0) return fail('target_exists', `${nameOf(table)} is there already.`);
  const closed = closedParent(tables.value, table.path);
  if (closed !== null)
    return fail(
      'invalid_request',
      `${closed} is written as one value, which no table can be added to: add it by hand.`,
    );
  const newline = newlineOf(text);
  return ok(text === null ? blockOf(table, newline) : `${text}${newline}${blockOf(table, newline)}`);
}

/** What stands in the table of the path, or undefined: its keys with the text of their values. Errors: invalid_request. */
export function readTable(text: string, path: readonly string[]): Result<Record<string, string> | undefined> {
  const tables = readToml(text);
  if (!tables.ok) return tables;
  const parts = partsOf(tables.value, path);
  if (parts.length === 0) return ok(undefined);
  return ok(
    Object.fromEntries(parts.flatMap(({ entries }) => entries.map(({ key, value }) => [key.join('.'), value]))),
  );
}

/** The text without the table and the ones below it; null: without them there was no file. Errors: invalid_request. */
export function withoutTable(text: string, table: Table): Result<string | null> {
  const newline = newlineOf(text);
  if (text === blockOf(table, newline)) return ok(null);
  const appended = `${newline}${blockOf(table, newline)}`;
  if (text.endsWith(appended)) return ok(text.slice(0, -appended.length));
  const tables = readToml(text);
  if (!tables.ok) return tables;
  const own = tables.value.filter(({ path }) => isBelow(path, table.path));
  if (own.length === 0 && partsOf(tables.value, table.path).length > 0)
    return fail('invalid_request', `${nameOf(table)} is not a table of its own: take it out by hand.`);
  return ok(own.toReversed().reduce((left, { start, end }) => withoutLines(left, start, end), text));
}

/** The table as text. Strings are written as JSON, which TOML's basic strings can hold. */
export function blockOf({ path, entries }: Table, newline = '\n'): string {
  const lines = Object.entries(entries).map(([key, value]) => `${key} = ${tomlValue(value)}`);
  return [`[${path.join('.')}]`, ...lines, ''].join(newline);
}

export const tomlValue = (value: string | readonly string[]): string =>
  typeof value === 'string' ? basic(value) : `[${value.map(basic).join(', ')}]`;

const basic = (text: string): string => JSON.stringify(text).replaceAll('\u007f', '\\u007f');

const newlineOf = (text: string | null): string => (text?.includes('\r\n') ? '\r\n' : '\n');

const nameOf = ({ path }: Table): string => `[${path.join('.')}]`;

const isBelow = (path: readonly string[], top: readonly string[]): boolean =>
  top.every((name, at) => path[at] === name);

/** Tables at the path and below, and those whose dotted or inline entries reach there. */
function partsOf(tables: readonly TomlTable[], path: readonly string[]): TomlTable[] {
  return tables.filter(
    (table) => isBelow(table.path, path) || table.entries.some(({ key }) => isBelow([...table.path, ...key], path)),
  );
}

/** A parent that is a value (`a = {…}`), or a list of tables. */
function closedParent(tables: readonly TomlTable[], path: readonly string[]): string | null {
  for (let depth = 1; depth < path.length; depth++) {
    const parent = path.slice(0, depth);
    const isValue = tables.some((table) =>
      table.entries.some(({ key }) => {
        const whole = [...table.path, ...key];
        return whole.length === depth && isBelow(whole, parent);
      }),
    );
    if (isValue) return parent.join('.');
  }
  return null;
}

/** With one blank line before them, where there is one. */
function withoutLines(text: string, start: number, end: number): string {
  const before = text.slice(0, start).replace(/(\r?\n)\r?\n$/, '$1');
  return before + text.slice(end);
}
