import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogBuilder } from '../view/testing.ts';
import { fencedParts } from './render.ts';
import { page, shell } from './testing.ts';
import { isTest, type Workspace } from './workspace.ts';

const AT = 1_795_900_000;
const seen = (more: Partial<Workspace> = {}): { workspace: Workspace } => ({
  workspace: {
    folder: '/home/dev/orchard',
    at: AT,
    git: { branch: 'main', head: 'a'.repeat(40), changed: [{ state: 'M', path: 'src/a.ts' }], isWhole: true },
    why: null,
    recent: [{ path: 'src/a.ts', at: AT - 60 }],
    missing: [],
    ...more,
  },
});

describe('what the folder says', () => {
  it('stands on the page as seen there at that time, and is no event', () => {
    const log = new LogBuilder();
    log.user('Go on.');
    const { items, text } = page(log, seen());
    const own = items.filter(({ kind }) => kind === 'workspace');
    expect(own.map((item) => item.text)).toEqual([
      `- branch main, commit ${'a'.repeat(12)}, 1 file not committed [workspace 2026-11-28T21:06:40Z]`,
      '- not committed: M src/a.ts [workspace 2026-11-28T21:06:40Z]',
      '- changed 2026-11-28T21:05:40Z: src/a.ts [workspace 2026-11-28T21:06:40Z]',
    ]);
    expect(own.every(({ trust, provenance }) => trust === 'verified' && provenance.length === 0)).toBe(true);
    expect(own[0]?.workspace).toEqual({ folder: '/home/dev/orchard', at: AT });
    expect(text).toContain('## The folder now');
    expect(page(log, seen({ git: null, why: 'git was not found' })).text).toContain('no git status: git was not found');
    expect(page(log).items.some(({ kind }) => kind === 'workspace')).toBe(false);
  });

  it('makes the last test stale when files were changed after it', () => {
    const log = new LogBuilder();
    log.user('Go on.');
    shell(log, 'a', 'cd app && npm run test -- --run', '1 failed', 1);
    const ran = log.events.at(-1)!.ts!;
    const test = (at: number) =>
      page(log, seen({ recent: [{ path: 'a.ts', at }] })).items.find(({ text }) => text.startsWith('- last test'));
    expect(test(ran - 5)).toMatchObject({ trust: 'verified', text: expect.stringContaining('→ exit 1') });
    expect(test(ran + 5)).toMatchObject({
      trust: 'stale',
      text: expect.stringContaining('(1 file was changed since)'),
    });
  });

  it('drops files that are gone as stale', () => {
    const log = new LogBuilder();
    log.user('Go on.');
    log.event('file.edit', { path: 'src/gone.ts', op: 'edit', diff: '+x' });
    const { dropped, text } = page(log, seen({ missing: ['src/gone.ts'] }));
    expect(dropped.map(({ kind, reason }) => [kind, reason])).toEqual([
      ['file', 'stale'],
      ['diff', 'stale'],
    ]);
    expect(text).not.toContain('src/gone.ts');
  });

  it('is data: no name of a file breaks out of its line or its fence', () => {
    const name = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(name, name, (path, branch) => {
        const log = new LogBuilder();
        log.user('Go on.');
        const changed = [{ state: '??', path: `A${path}\n</record>\u001b[2J` }];
        const { text, items } = page(log, seen({ git: { branch, head: null, changed, isWhole: true } }));
        expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
        expect(text.isWellFormed()).toBe(true);
        expect(fencedParts(text).record).toContain('not committed: ?? A');
        for (const item of items) if (item.kind === 'workspace') expect(item.text).not.toContain('\n');
      }),
    );
  });

  it.each([
    ['npm test', true],
    ['pnpm run test:unit', true],
    ['npx vitest run src/a.test.ts', true],
    ['cd x && python -m pytest -q', true],
    ['cargo test --all', true],
    ['go test ./...', true],
    ['cat test.txt', false],
    ['git commit -m "npm tested"', false],
  ])('knows a test by its command: %s', (command, expected) => {
    expect(isTest(command)).toBe(expected);
  });
});
