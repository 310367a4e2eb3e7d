import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listFixtures, loadFixture } from '../../../fixtures/load.ts';
import { AGENTS } from '../../shared/agents.ts';
import { EXPORT_FORMATS } from '../../shared/choices.ts';
import { unwrap } from '../../shared/errors.ts';
import { sessionExportSchema } from '../../shared/outputs.ts';
import type { SessionRow } from '../../shared/session.ts';
import { type Lab, makeLab } from '../handoff/testing.ts';

const SCHEMA = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'outputs', 'schemas', 'atif-1.7.schema.json');
const ajv = new Ajv2020({ allErrors: true });
addFormats.default(ajv);
const isAtif = ajv.compile(JSON.parse(readFileSync(SCHEMA, 'utf8')));

let lab: Lab;
let sessions: SessionRow[];
beforeAll(async () => {
  lab = await makeLab(['tools', 'subagent', 'image', 'rewind']);
  for (const agent of AGENTS.filter((one) => one !== 'claude')) {
    const [name] = (await listFixtures(agent))
      .filter((one) => /tool|exec|multi/.test(one))
      .concat(await listFixtures(agent));
    await loadFixture(agent, name!, lab.home);
    unwrap(await lab.engine.call('sources.set', { agent, enabled: true }));
    unwrap(await lab.engine.local.import({ agent }));
  }
  sessions = unwrap(await lab.engine.call('sessions.list', { subagents: true })).rows;
});
afterAll(() => lab.close());

/** Prompts and replies of the active conversation, as the app shows them. */
async function said(id: string): Promise<string[]> {
  const { page } = unwrap(await lab.engine.call('transcript.open', { id, from: 0, limit: 500 }));
  return page.rows.flatMap((row) =>
    (row.kind === 'prompt' || row.kind === 'text') && row.active
      ? row.content.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
      : [],
  );
}

describe('a session of any agent', () => {
  it('is written in every form, whole', async () => {
    expect(new Set(sessions.map(({ agent }) => agent))).toEqual(new Set(AGENTS));
    for (const { id, agent } of sessions) {
      const texts = await said(id);
      for (const format of EXPORT_FORMATS) {
        const path = join(lab.home, `${id}.${format}`);
        const done = unwrap(await lab.engine.local.exportText(id, { format, path, all: false, subagents: true }));
        const text = await readFile(done.path!, 'utf8');
        const plain = format === 'html' ? text.replace(/<[^>]+>/g, ' ') : text;
        for (const word of texts.flatMap((one) => one.match(/[\p{L}\p{N}]{3,}/gu) ?? []))
          expect({ agent, format, word, has: plain.includes(word) }).toEqual({ agent, format, word, has: true });
        if (format === 'json') sessionExportSchema.parse(JSON.parse(text));
        if (format !== 'atif') continue;
        isAtif(JSON.parse(text));
        expect({ agent, errors: isAtif.errors }).toEqual({ agent, errors: null });
      }
    }
  });

  it('is compiled into files for the app as for the command line', async () => {
    for (const { id } of sessions.filter(({ counts }) => counts.user > 0)) {
      for (const format of ['context', 'work-mem', 'a2a'] as const) {
        const { files } = unwrap(await lab.engine.call('compile.files', { session: id, for: 'codex', format }));
        expect(files).toHaveLength(format === 'work-mem' ? 4 : 1);
      }
    }
  });
});

describe('export.start', () => {
  it('ends with the path of a file in our own folder', async () => {
    const ended = new Promise<{ state: string; path?: string | undefined }>((resolve) => {
      lab.engine.subscribe((event) => {
        if (event.topic === 'job' && event.job.kind === 'export' && event.job.state !== 'running') resolve(event.job);
      });
    });
    unwrap(await lab.engine.call('export.start', { session: lab.session.id, format: 'html' }));
    const { state, path } = await ended;
    expect({ state, path }).toMatchObject({
      state: 'done',
      path: expect.stringContaining(join(lab.home, '.sessionctl', 'exports')),
    });
    expect(await readFile(path!, 'utf8')).toContain('<!doctype html>');
  });
});
