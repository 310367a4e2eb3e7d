import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isBundleFolder } from '../../engine/bundle/layout.ts';
import type { Engine } from '../../engine/engine.ts';
import { ok, type Result } from '../../shared/errors.ts';
import type { Verdict } from '../../shared/handoff.ts';
import { type Cli, type Run, withEngine } from '../command.ts';
import { number } from '../format.ts';
import { handleOf } from '../handle.ts';

/** What was checked, by name. */
type Verified = {
  ok: boolean;
  kind: 'store' | 'session' | 'receipt' | 'bundle';
  subjects: { id: string; verdict: Verdict }[];
};

const BROKEN = 4;
const UNKNOWN_KEY = 1;

/** `sessionctl verify [what]`: exit code 4 when anything was changed, 1 when only the signer's key is not known. */
export const verify: Run<{ key?: string }, [string | undefined]> = (cli, options, what) =>
  withEngine(cli, async (engine) => {
    const result = await check(cli, engine, what, options.key);
    const code = cli.output.end(result, (verified) => show(cli, verified));
    if (!result.ok || result.value.ok) return code;
    const failed = result.value.subjects.flatMap(({ verdict }) => verdict.checks).filter((one) => !one.ok);
    return failed.every((one) => one.id === 'key') ? UNKNOWN_KEY : BROKEN;
  });

async function check(cli: Cli, engine: Engine, what: string | undefined, key?: string): Promise<Result<Verified>> {
  if (what === undefined) {
    const verdict = await engine.local.verifyStore((done, total) =>
      cli.output.progress(`Checking ${number(done)} of ${number(total)} sessions`),
    );
    return verdict.ok ? verified('store', [{ id: 'store', verdict: verdict.value }]) : verdict;
  }
  const path = resolve(cli.io.cwd, what);
  if (existsSync(path) && (/\.tar(\.zst)?$/.test(path) || (statSync(path).isDirectory() && isBundleFolder(path)))) {
    const bundle = await engine.local.verifyBundle(path, key);
    return bundle.ok ? verified('bundle', bundle.value.sessions) : bundle;
  }
  if (what.startsWith('rcpt_')) {
    const verdict = await engine.call('receipts.verify', { id: what });
    return verdict.ok ? verified('receipt', [{ id: what, verdict: verdict.value }]) : verdict;
  }
  const id = handleOf(cli, what);
  const verdict = await engine.call('verify.session', { id });
  return verdict.ok ? verified('session', [{ id: what, verdict: verdict.value }]) : verdict;
}

function verified(kind: Verified['kind'], subjects: Verified['subjects']): Result<Verified> {
  return ok({ ok: subjects.every(({ verdict }) => verdict.ok), kind, subjects });
}

function show({ output }: Cli, { subjects, ok: sound }: Verified): void {
  for (const { id, verdict } of subjects) {
    output.line(output.style('bold', id));
    for (const one of verdict.checks)
      output.line(`  ${one.ok ? output.style('green', '✓') : output.style('red', '✗')} ${one.text}`);
  }
  output.line(sound ? 'Sound.' : output.style('red', 'Not sound.'));
}
