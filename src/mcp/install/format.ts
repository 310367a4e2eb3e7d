import { basename } from 'node:path';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { Dialect } from './jsonc.ts';
import { readMember, sameValue, withMember, withoutMember } from './member.ts';
import { blockOf, readTable, type Table, tomlValue, withoutTable, withTable } from './table.ts';

/** How our entry stands in a configuration file. */
export interface Format {
  /** where in the file, for people; '' = it is the whole file */
  at: string;
  /** the entry as text, for people */
  shown: string;
  /** The text with our entry: the same text when it is there already. Errors: target_exists, invalid_request. */
  add(text: string | null): Result<string>;
  /** The text without it; null = without it there is no file. Errors: target_exists, invalid_request. */
  remove(text: string): Result<string | null>;
}

const PROGRAM = 'sessionctl';

/** An entry of another program under our name is not ours to change. */
const taken = (at: string): Result<never> =>
  fail('target_exists', `${at} is there already and runs something else than sessionctl. Take it out by hand first.`, {
    at,
  });

const isOurProgram = (program: unknown): boolean => typeof program === 'string' && basename(program) === PROGRAM;

export function jsonFormat(path: readonly string[], value: object, dialect: Dialect): Format {
  const at = path.join('.');
  const isOurs = (entry: unknown): boolean => {
    const { command } = (typeof entry === 'object' && entry !== null ? entry : {}) as { command?: unknown };
    return isOurProgram(Array.isArray(command) ? command[0] : command);
  };
  return {
    at,
    shown: JSON.stringify(value, null, 2),
    add: (text) => {
      const now = text === null ? ok(undefined) : readMember(text, path, dialect);
      if (!now.ok) return now;
      if (now.value === undefined) return withMember(text, path, value, dialect);
      if (sameValue(now.value, value)) return ok(text ?? '');
      if (!isOurs(now.value)) return taken(at);
      const without = withoutMember(text ?? '', path, dialect);
      return without.ok ? withMember(without.value, path, value, dialect) : without;
    },
    remove: (text) => {
      const now = readMember(text, path, dialect);
      if (!now.ok) return now;
      if (now.value === undefined) return ok(text);
      return isOurs(now.value) ? withoutMember(text, path, dialect) : taken(at);
    },
  };
}

export function tomlFormat(table: Table): Format {
  const at = table.path.join('.');
  const isOurs = ({ command }: Record<string, string>): boolean => /[/\\"']sessionctl["']$/.test(command ?? '');
  const isSame = (entries: Record<string, string>): boolean =>
    sameValue(
      entries,
      Object.fromEntries(Object.entries(table.entries).map(([key, value]) => [key, tomlValue(value)])),
    );
  return {
    at,
    shown: blockOf(table),
    add: (text) => {
      const now = readTable(text ?? '', table.path);
      if (!now.ok) return now;
      if (now.value === undefined) return withTable(text, table);
      if (isSame(now.value)) return ok(text ?? '');
      if (!isOurs(now.value)) return taken(at);
      const without = withoutTable(text ?? '', table);
      return without.ok ? withTable(without.value, table) : without;
    },
    remove: (text) => {
      const now = readTable(text, table.path);
      if (!now.ok) return now;
      if (now.value === undefined) return ok(text);
      return isOurs(now.value) ? withoutTable(text, table) : taken(at);
    },
  };
}

/** A file that is ours as a whole; `mark` stands in every version of it. */
export function fileFormat(content: string, mark: string): Format {
  const foreign = (): Result<never> =>
    fail('target_exists', 'A file that sessionctl did not write is there already. Move it away first.');
  return {
    at: '',
    shown: content,
    add: (text) => (text === null || text.includes(mark) ? ok(content) : foreign()),
    remove: (text) => (text.includes(mark) ? ok(null) : foreign()),
  };
}
