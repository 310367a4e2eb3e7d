import { describe, expect, it } from 'vitest';
import { closingLine, page, table } from './report.ts';
import type { SessionReport } from './scenario.ts';

const report = (verdict: SessionReport['verdict'], problems: string[]): SessionReport => ({
  from: 'claude',
  to: 'codex',
  scenario: 'tools',
  id: '9ed90ef0-3d15',
  verdict,
  problems,
  declared: [],
  thinkingDeclared: false,
  picker: { fresh: false, used: false },
});

describe('the report', () => {
  it('ends with what passed and failed, and says what was not compared', () => {
    expect(closingLine([report('passed', []), report('failed', ['x'])])).toBe('1 passed, 1 failed');
    expect(closingLine([report('skipped', ['x'])])).toBe('0 passed, 0 failed, 1 skipped');
  });

  it('names every problem under the table', () => {
    expect(table([report('failed', ['lost and not declared: reply "x"'])])).toMatch(
      /Problems:\n {2}claude → codex tools 9ed90ef0: lost/,
    );
  });

  it('makes a page on which an exception stands once for all its targets, without the folder of the run', () => {
    const why = 'no such file: /somewhere/tmp/sc-aB3xY9/home/x | y';
    const skipped = [report('skipped', [why]), { ...report('skipped', [why]), to: 'pi' }];
    const text = page(skipped, { claude: '2.1.332' }, new Date(0));
    expect(text).toContain('on 1970-01-01 with claude 2.1.332.');
    expect(text).toContain('| claude | codex, pi | tools | skipped | no such file: …/home/x \\| y |');
  });
});
