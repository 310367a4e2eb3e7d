import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../program/program.ts';
import { type CliLab, cliLab } from '../testing.ts';
import { outputSchemas } from './json-schema.ts';

/** The real output of every command, held against the committed schemas. */

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'schema', 'cli');
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
addFormats.default(ajv);
const schemas = new Map(
  Object.keys(outputSchemas()).map((name) => [name, ajv.compile(JSON.parse(readFileSync(join(FOLDER, name), 'utf8')))]),
);
const schemaOf = (name: string): ValidateFunction => schemas.get(name)!;
const held = new Set<string>();

function hold(name: string, value: unknown): void {
  const validate = schemaOf(name);
  validate(value);
  expect({ name, errors: validate.errors }).toEqual({ name, errors: null });
  held.add(name);
}

let lab: CliLab;
let id: string;
beforeAll(async () => {
  lab = await cliLab(['tools', 'simple-qa']);
  await gives('init', 'init', '--key-file');
  await gives('sources-enable', 'sources', 'enable', 'claude');
  await gives('import', 'import');
  id = (await lab.run('list', '--json')).json.value.rows[0].id;
});
afterAll(() => lab.close());

/** Runs a command that does what it is asked, and holds its output against its schema. */
// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
async function gives(name: string, ...args: string[]): Promise<any> {
  const ran = await lab.run(...args, '--json');
  expect({ args, stderr: ran.code === 0 ? '' : ran.stderr }).toEqual({ args, stderr: '' });
  hold(`${name}.json`, JSON.parse(ran.stdout));
  for (const line of ran.stderr.split('\n').slice(0, -1)) hold('stderr.json', JSON.parse(line));
  return ran.json.value;
}

describe('--json', () => {
  it('gives what the schemas say: setting up and looking', async () => {
    await gives('sources-list', 'sources');
    await gives('sources-disable', 'sources', 'disable', 'pi');
    await gives('status', 'status');
    await gives('list', 'list', '--all');
    await gives('search', 'search', 'thousands');
    await gives('show', 'show', id);
    await gives('show', 'show', id, '--events');
    await gives('show', 'show', id, '--seq', '3');
    await gives('completion', 'completion', 'fish');
    await gives('mcp-install', 'mcp', 'install', '--agent', 'codex', '--dry-run');
  });

  it('gives what the schemas say: going on elsewhere', async () => {
    await gives('compile', 'compile', id, '--for', 'codex');
    await gives('compile', 'compile', id, '--for', 'pi', '--out', 'context.md');
    await gives('compile', 'compile', id, '--for', 'pi', '--format', 'work-mem', '--out', 'memory');
    await gives('handoff', 'handoff', id, '--to', 'codex', '--dry-run');
    await gives('handoff', 'handoff', id, '--to', 'codex', '--operation', 'op');
    await gives('handoff', 'handoff', '--undo', '--operation', 'op');
    await gives('resume', 'resume', id);
    await gives('resume', 'resume', id, '--agent', 'pi');
    await gives('export', 'export', id, '--agent', 'codex', '--out', 'native');
    await gives('export', 'export', id, '--bundle', '--out', 'bundle');
    await gives('export', 'export', id, '--format', 'markdown', '--out', 'session.md');
    await gives('export', 'export', id, '--format', 'html', '--out', 'session.html');
    await gives('import', 'import', '--path', 'bundle');
    await gives('fork', 'fork', id, '--at', '3');
    await gives('checkpoint', 'checkpoint', id);
  });

  it('gives what the schemas say: checking', async () => {
    await gives('receipts', 'receipts');
    await gives('redact', 'redact');
    await gives('verify', 'verify');
    await gives('verify', 'verify', id);
    await gives('verify', 'verify', 'bundle');
    await gives('doctor', 'doctor');
  });

  it('gives an error as the schema of stderr says', async () => {
    const refused = await lab.run('show', 'sess_00000000', '--json');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    hold('stderr.json', JSON.parse(refused.stderr));
    await writeFile(join(lab.home, 'no-session.jsonl'), 'nothing\n');
    hold('stderr.json', (await lab.run('import', '--path', 'no-session.jsonl', '--jsonl', '--json')).json);
  });
});

describe('--jsonl', () => {
  it('gives a row a line, as many as --json has', async () => {
    const lines = async (...args: string[]): Promise<unknown[]> =>
      (await lab.run(...args, '--jsonl')).stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
    const rows = await lines('list');
    expect(rows).toEqual((await lab.run('list', '--json')).json.value.rows);
    for (const row of rows) hold('list.line.json', row);
    expect(await lines('list', '--limit', '1')).toHaveLength(1);
    const conversation = await lines('show', id);
    expect(conversation).toEqual((await lab.run('show', id, '--json')).json.value.rows);
    const events = await lines('show', id, '--events');
    expect(events).toEqual((await lab.run('show', id, '--events', '--json')).json.value.events);
    for (const row of [...conversation, ...events]) hold('show.line.json', row);
  });
});

describe('the schemas', () => {
  it('are there for every command, and every one was held against a real output', () => {
    const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough(), env: {}, cwd: '/' };
    const leaves = (command: Command, path: string[]): string[] =>
      command.commands.length === 0
        ? [path.join('-')]
        : command.commands.flatMap((one) => leaves(one, [...path, one.name()]));
    // `mcp serve` speaks another protocol, `serve` runs until it is stopped (main.test.ts)
    const others = new Set(['mcp-serve', 'serve']);
    const commands = leaves(
      buildProgram(io, () => async () => {}),
      [],
    ).filter((name) => !others.has(name));
    expect(commands.filter((name) => !schemas.has(`${name}.json`))).toEqual([]);
    expect([...schemas.keys()].filter((name) => !held.has(name) && name !== 'serve.json')).toEqual([]);
  });
});
