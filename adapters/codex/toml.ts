/**
 * The scalars of a TOML file, enough for the keys of `config.toml` that a handoff needs. Strings, numbers and booleans
 * of `key = value` lines, by section; arrays, inline tables, dates and multi-line strings are passed over, and nothing
 * in the file can make this throw.
 */
export interface Toml {
  /** value of `section.key`; the top level is section `''` */
  get(section: string, key: string): string | number | boolean | undefined;
  /** names of the sections below `prefix.`, one level */
  children(prefix: string): string[];
}

const KEY =
  /^\s*("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+(?:\s*\.\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=\s*(.*)$/;
const PART = /"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+/g;
/** Between the parts of a joined name; cannot stand in a TOML key that we look for. */
const SEP = '\u0000';

export function readToml(text: string): Toml {
  const values = new Map<string, string | number | boolean>();
  const sections = new Set<string>();
  let section: string[] = [];
  let fence: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    if (fence !== null) {
      if (line.includes(fence)) fence = null;
      continue;
    }
    const header = /^\s*\[\[?([^\]]*)\]/.exec(line);
    if (header !== null) {
      section = parts(header[1] ?? '');
      sections.add(section.join(SEP));
      continue;
    }
    const pair = KEY.exec(line);
    if (pair === null) continue;
    const raw = pair[2] ?? '';
    fence = openFence(raw);
    const value = scalar(raw);
    if (value !== undefined) values.set([...section, ...parts(pair[1] ?? '')].join(SEP), value);
  }
  return {
    get: (name, key) => values.get([...parts(name), key].join(SEP)),
    children: (prefix) => {
      const start = parts(prefix).join(SEP) + SEP;
      const below = [...sections].filter((name) => name.startsWith(start)).map((name) => name.slice(start.length));
      return [...new Set(below.map((name) => name.split(SEP)[0] ?? ''))];
    },
  };
}

function parts(name: string): string[] {
  return [...name.matchAll(PART)].map(([part]) => unquote(part));
}

/** The fence of a multi-line string that stays open at the end of the line. */
function openFence(raw: string): string | null {
  for (const fence of ['"""', "'''"]) {
    if (raw.startsWith(fence) && !raw.slice(3).includes(fence)) return fence;
  }
  return null;
}

function scalar(raw: string): string | number | boolean | undefined {
  if (raw.startsWith('"""') || raw.startsWith("'''")) return undefined;
  const quoted = /^("(?:[^"\\]|\\.)*"|'[^']*')\s*(#.*)?$/.exec(raw);
  if (quoted !== null) return unquote(quoted[1] ?? '');
  const bare = raw.replace(/#.*$/, '').trim();
  if (bare === 'true' || bare === 'false') return bare === 'true';
  if (/^[+-]?\d[\d_]*(\.\d[\d_]*)?$/.test(bare)) return Number(bare.replaceAll('_', ''));
  return undefined;
}

function unquote(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  if (!text.startsWith('"')) return text;
  try {
    const value: unknown = JSON.parse(text.replace(/\\U([0-9a-fA-F]{8})/g, (_, hex: string) => codePoint(hex)));
    return String(value);
  } catch {
    return text.slice(1, -1);
  }
}

function codePoint(hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}
