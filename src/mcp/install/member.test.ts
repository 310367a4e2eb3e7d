import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../../adapters/testing/property-runs.ts';
import { unwrap } from '../../shared/errors.ts';
import type { Dialect } from './jsonc.ts';
import { readMember, withMember, withoutMember } from './member.ts';

const STRICT: Dialect = { comments: false, trailingCommas: false };
const LOOSE: Dialect = { comments: true, trailingCommas: true };
const PATH = ['mcpServers', 'sessionctl'];
const ENTRY = { command: '/opt/sessionctl/bin/sessionctl', args: ['mcp'] };

const add = (text: string | null, dialect = LOOSE): string => unwrap(withMember(text, PATH, ENTRY, dialect));
const takeOut = (text: string, dialect = LOOSE): string | null => unwrap(withoutMember(text, PATH, dialect));

describe('a member put into a file', () => {
  it('follows the style of the file, and comments stay with their lines', () => {
    const text = '{\n    // mine\n    "a": 1, // one\n    "b": { "c": 2 } // two\n}\n';
    expect(add(text)).toBe(
      '{\n    // mine\n    "a": 1, // one\n    "b": { "c": 2 }, // two\n    "mcpServers": {\n        "sessionctl": {\n' +
        '            "command": "/opt/sessionctl/bin/sessionctl",\n            "args": [\n                "mcp"\n            ]\n' +
        '        }\n    }\n}\n',
    );
  });

  it('goes beside the servers that are there', () => {
    const text = '{"mcpServers":{"other":{"command":"x"}},"z":0}';
    expect(JSON.parse(add(text, STRICT))).toEqual({
      mcpServers: { other: { command: 'x' }, sessionctl: ENTRY },
      z: 0,
    });
    expect(takeOut(add(text, STRICT), STRICT)).toBe(text);
  });

  it('makes a file where there is none', () => {
    expect(JSON.parse(add(null))).toEqual({ mcpServers: { sessionctl: ENTRY } });
    expect(takeOut(add(null))).toBeNull();
  });

  it.each([
    ['no JSON', '{"a": }'],
    ['an end that is missing', '{"a": 1'],
    ['something behind the end', '{} {}'],
    ['a list', '[1]'],
    ['a comment where the agent takes none', '{ // x\n}', STRICT],
    ['a trailing comma where the agent takes none', '{"a": 1,}', STRICT],
    ['servers that are no object', '{"mcpServers": []}'],
    ['servers that stand there twice', '{"mcpServers": {}, "mcpServers": {}}'],
    ['a missing comma', '{"a": 1 "b": 2}'],
    ['a raw line break in a string', '{"a": "x\ny"}'],
    ['an escape that is none', '{"a": "\\q"}'],
    ['no end of nesting', `{"a": ${'['.repeat(100_000)}`],
  ])('is refused by a file with %s', (_name, text, dialect = LOOSE) => {
    expect(withMember(text, PATH, ENTRY, dialect)).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
  });

  it('is refused where something stands already', () => {
    expect(withMember(add('{}'), PATH, ENTRY, LOOSE)).toMatchObject({ ok: false, error: { code: 'target_exists' } });
  });

  it('can be taken out though the file was written anew meanwhile, and the rest stays', () => {
    const text =
      '{\n  // kept\n  "mcpServers": {\n    "first": {},\n    "sessionctl": {"command": "sessionctl"}, // gone\n    "last": 1\n  }\n}';
    expect(takeOut(text)).toBe('{\n  // kept\n  "mcpServers": {\n    "first": {}, // gone\n    "last": 1\n  }\n}');
    expect(takeOut('{"mcpServers": {"sessionctl": {}, "b": 1}}')).toBe('{"mcpServers": {"b": 1}}');
    expect(takeOut('{"mcpServers": {"a": 1, "sessionctl": {}}}')).toBe('{"mcpServers": {"a": 1}}');
  });

  it.each([
    [
      'first',
      '{\n  "mcpServers": {\n    "sessionctl": {}, // ours\n    // mine\n    "b": 1\n  }\n}',
      ' // ours\n    // mine\n    "b": 1',
    ],
    ['first in a line', '{"mcpServers": {"sessionctl": {}, /* mine */ "b": 1}}', '/* mine */ "b": 1'],
    ['between', '{"mcpServers": {"a": 1, "sessionctl": {} /* mine */, "b": 1}}', '"a": 1, /* mine */ "b": 1'],
    ['last', '{"mcpServers": {"a": 1, /* mine */ "sessionctl": {} /* yours */}}', '"a": 1 /* mine */ /* yours */'],
    ['last with a comma', '{"mcpServers": {"a": 1, "sessionctl": {} /* mine */,}}', '"a": 1, /* mine */'],
  ])('takes no comment with it when it stands %s', (_where, text, rest) => {
    const left = takeOut(text) as string;
    expect(left).toContain(rest);
    expect(unwrap(readMember(left, PATH, LOOSE))).toBeUndefined();
  });

  it('goes beside strings of any length, and many comments', () => {
    const text = `{"long": "${'\\n'.repeat(4_000_000)}"${' /* c */'.repeat(200_000)}}`;
    const added = add(text);
    expect(takeOut(added)).toBe(text);
  });
});

/** A file as somebody may have written it: any content, indentation, line ends, comments and commas. */
const file = (dialect: Dialect): fc.Arbitrary<{ text: string; value: Record<string, unknown> }> =>
  fc
    .record({
      value: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
      servers: fc.option(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })),
      indent: fc.constantFrom('', '  ', '    ', '\t'),
      newline: fc.constantFrom('\n', '\r\n'),
      comment: fc.constantFrom('', ' // c', ' /* c */'),
      trailing: fc.boolean(),
      end: fc.constantFrom('', '\n', '\n\n', '  '),
      mark: fc.boolean(),
    })
    .map(({ value, servers, indent, newline, comment, trailing, end, mark }) => {
      const whole = { ...value, ...(servers && { mcpServers: without(servers, 'sessionctl') }) };
      const style = {
        indent,
        newline,
        comment: dialect.comments ? comment : '',
        trailing: trailing && dialect.trailingCommas,
      };
      return { text: `${mark ? '\ufeff' : ''}${print(whole, 0, style)}${end}`, value: whole };
    });

const without = (value: Record<string, unknown>, key: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key && name !== '__proto__'));

interface Style {
  indent: string;
  newline: string;
  comment: string;
  trailing: boolean;
}

function print(value: unknown, depth: number, style: Style): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([key]) => key !== '__proto__');
  if (members.length === 0) return '{}';
  const gap = style.indent === '' ? '' : style.newline + style.indent.repeat(depth + 1);
  // a comment to the end of the line needs one
  const comment = gap === '' ? '' : style.comment;
  const last = members.length - 1;
  const lines = members.map(
    ([key, member], at) =>
      `${gap}${JSON.stringify(key)}: ${print(member, depth + 1, style)}${at < last || style.trailing ? ',' : ''}${comment}`,
  );
  return `{${lines.join('')}${gap === '' ? '' : style.newline + style.indent.repeat(depth)}}`;
}

describe.each([
  ['strict JSON', STRICT],
  ['JSON with comments and trailing commas', LOOSE],
])('for any file of %s', (_name, dialect) => {
  it('putting in and taking out gives the same bytes, and nothing else is said in between', () => {
    fc.assert(
      fc.property(file(dialect), ({ text, value }) => {
        const after = add(text, dialect);
        expect(unwrap(readMember(after, PATH, dialect))).toEqual(ENTRY);
        expect(takeOut(after, dialect)).toBe(text);
        if (dialect !== STRICT) return;
        const servers = (value.mcpServers ?? {}) as object;
        expect(JSON.parse(after.replace('\ufeff', ''))).toEqual(
          JSON.parse(JSON.stringify({ ...value, mcpServers: { ...servers, sessionctl: ENTRY } })),
        );
      }),
      propertyRuns(500, 20261130),
    );
  });

  it('any text is taken or refused, and never fails otherwise', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json(), fc.string({ unit: fc.constantFrom(...'{}[]",:/*\\\n 1a') })),
        (text) => {
          const after = withMember(text, PATH, ENTRY, dialect);
          if (after.ok) expect(takeOut(after.value, dialect)).toBe(text);
        },
      ),
      propertyRuns(500, 20261131),
    );
  });
});
