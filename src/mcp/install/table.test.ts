import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../../adapters/testing/property-runs.ts';
import { unwrap } from '../../shared/errors.ts';
import { readTable, type Table, withoutTable, withTable } from './table.ts';

const TABLE: Table = {
  path: ['mcp_servers', 'sessionctl'],
  entries: { command: '/opt/it\'s "here"/bin/sessionctl', args: ['mcp'] },
};

const add = (text: string | null): string => unwrap(withTable(text, TABLE));
const takeOut = (text: string): string | null => unwrap(withoutTable(text, TABLE));

const CONFIG = `# mine
model = "gpt-5.5" # the big one
notify = ["a", # why
  'b\\c',
]
when = 2026-11-30T10:00:00Z
text = """
[not.a.header]
"quoted" \\"""
"""
raw = '''
[mcp_servers.sessionctl] '''
inline = { a = 1, b = [ { c = "]" } ] }
a."b c".d = +1_000.5e-3

[mcp_servers.other]
command = "x"

[[list]]
n = 0xff
[projects."/home/dev/my [project]"] # a folder
trust_level = "trusted"`;

describe('a table put into a TOML file', () => {
  it('stands at its end, and all else stays', () => {
    const after = add(CONFIG);
    expect(after).toBe(
      `${CONFIG}\n[mcp_servers.sessionctl]\ncommand = "/opt/it's \\"here\\"/bin/sessionctl"\nargs = ["mcp"]\n`,
    );
    expect(takeOut(after)).toBe(CONFIG);
  });

  it.each([
    ['no file', null],
    ['an empty file', ''],
    ['a file without a last line end', 'a = 1'],
    ['a file with one', 'a = 1\n'],
    ['a file with several', 'a = 1\n\n\n'],
    ['a file with CRLF', 'a = 1\r\nb = 2\r\n'],
    ['a file that ends in a comment', 'a = 1\n# end'],
    ['a file with a byte order mark', '\ufeffa = 1\n'],
  ])('leaves %s as it was when it is taken out', (_name, text) => {
    expect(takeOut(add(text))).toBe(text);
  });

  it('can be taken out from the middle of a file, with what was added to it', () => {
    const text = `${add('a = 1\n')}startup_timeout_sec = 20\n\n[mcp_servers.sessionctl.env]\nA = "b"\n\n# the next\n[z]\n`;
    expect(takeOut(text)).toBe('a = 1\n\n# the next\n[z]\n');
  });

  it.each([
    ['a string without an end', 'a = "x'],
    ['a key without a value', 'a ='],
    ['a line without a key', '= 1'],
    ['a header without an end', '[a\nb = 1'],
    ['a value that is none', 'a = yes please'],
    ['two values on a line', 'a = 1 b = 2'],
    ['a list without an end', 'a = [1, 2'],
    ['servers in one value', 'mcp_servers = { other = { command = "x" } }'],
    ['no end of nesting', `a = ${'['.repeat(100_000)}`],
  ])('is refused by a file with %s', (_name, text) => {
    expect(withTable(text, TABLE)).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
  });

  it.each([
    ['a table', '[mcp_servers.sessionctl]\ncommand = "y"\n'],
    ['a table with quoted names', '[ "mcp_servers" . \'sessionctl\' ]\n'],
    ['a table below it', '[mcp_servers.sessionctl.env]\nA = "b"\n'],
    ['dotted keys', 'mcp_servers.sessionctl.command = "y"\n'],
    ['an inline table', '[mcp_servers]\nsessionctl = { command = "y" }\n'],
  ])('is refused where there is one as %s', (_name, text) => {
    expect(withTable(text, TABLE)).toMatchObject({ ok: false, error: { code: 'target_exists' } });
  });

  it('is read with the text of its values', () => {
    expect(unwrap(readTable(add(CONFIG), TABLE.path))).toEqual({
      command: '"/opt/it\'s \\"here\\"/bin/sessionctl"',
      args: '["mcp"]',
    });
    expect(unwrap(readTable(CONFIG, TABLE.path))).toBeUndefined();
  });

  it('is not cut out of a value that is not its own', () => {
    expect(withoutTable('[mcp_servers]\nsessionctl = { command = "y" }\n', TABLE)).toMatchObject({ ok: false });
  });

  it('any text is taken or refused, and comes back', () => {
    const sign = fc.constantFrom(...'[]{}"\'=.,#\n\r\\ a1-');
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: sign })), (text) => {
        const after = withTable(text, TABLE);
        if (after.ok) expect(takeOut(after.value)).toBe(text);
      }),
      propertyRuns(1000, 20261130),
    );
  });
});
