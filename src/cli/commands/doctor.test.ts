import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliLab, cliLab } from '../testing.ts';

let lab: CliLab;
beforeEach(async () => {
  lab = await cliLab(['multi-turn']);
  await lab.run('init', '--key-file');
});
afterEach(() => lab.close());

/** The lines of `doctor`, those of advice behind what they are about. */
const doctor = async (): Promise<string> => (await lab.run('doctor')).stdout;

function sessions(): string[] {
  const projects = join(lab.home, '.claude', 'projects');
  return readdirSync(projects, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(projects, name));
}

describe('doctor', () => {
  it('reads no session of an agent that is not enabled', async () => {
    expect(await doctor()).not.toContain('nothing is newer');
  });

  it('says that the newest session of an enabled agent reads in full', async () => {
    await lab.run('sources', 'enable', 'claude');
    expect(await doctor()).toMatch(
      /✓ Claude Code: nothing is newer than .*; that session reads in full: (\d+) of \1 records/,
    );
  });

  it('warns when an agent can no longer be read, and says what to do', async () => {
    await lab.run('sources', 'enable', 'claude');
    for (const path of sessions())
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll('"type":"', '"type":"new_'));
    const text = await doctor();
    expect(text).toMatch(
      /! Claude Code cannot be read: in the newest session (\d+) of \1 records are of an unknown kind/,
    );
    expect(text).toMatch(/checked with 2\.1\.332, .* on \d{4}-\d{2}-\d{2}\. Look for a newer sessionctl/);
  });

  it('counts what was not understood of all sessions that were read, as `sources list` does', async () => {
    await lab.run('sources', 'enable', 'claude');
    appendFileSync(sessions()[0]!, '{"type":"future","uuid":"a"}\n{"type":"future","uuid":"b"}\n');
    await lab.run('import');
    const counted =
      /Claude Code: 2 records in 1 session of .*projects of a kind that is not known here.*sess_[0-9a-f]{20}/;
    expect(await doctor()).toMatch(counted);
    const [source] = (await lab.run('sources', 'list', '--json')).json.value;
    expect(source.warnings).toEqual([{ about: 'unknown-records', detail: expect.stringMatching(counted), count: 2 }]);
  });
});
