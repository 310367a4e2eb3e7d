import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isBundleFolder } from '../../engine/bundle/layout.ts';
import type { Engine } from '../../engine/engine.ts';
import { AppFailure, type ErrorCode, fail, ok, type Result } from '../../shared/errors.ts';
import type { Verdict } from '../../shared/handoff.ts';
import { type Cli, type Run, STOPPED, withEngine } from '../command.ts';
import { number } from '../format.ts';
import { handleOf } from '../handle.ts';

interface Verified {
  kind: 'store' | 'session' | 'receipt' | 'bundle';
  subjects: { id: string; verdict: Verdict }[];
}

/** `sessionctl verify [what]`: an error that names what was changed (exit code 4); 1 when only the signer's key is not known. */
export const verify: Run<{ key?: string }, [string | undefined]> = (cli, options, what) =>
  withEngine(cli, async (engine) => {
    const checked = await check(cli, engine, what, options.key);
    if (checked.ok) show(cli, checked.value);
    return cli.output.end(checked.ok ? judge(checked.value) : checked);
  });

/** Codes of checks; all others but signatures are `chain_broken`. */
const CODES: Record<string, ErrorCode> = { key: 'key_missing', version: 'store_version_too_new' };

/** The first thing that is wrong decides; an unknown key only when nothing else is. */
function judge(checked: Verified): Result<Verified> {
  const failed = checked.subjects.flatMap(({ id, verdict }) =>
    verdict.checks.filter((one) => !one.ok).map((one) => ({ subject: id, ...one })),
  );
  const worst = failed.find((one) => one.id !== 'key') ?? failed[0];
  if (!worst) return ok(checked);
  const code = worst.id.endsWith('signature') ? 'signature_invalid' : (CODES[worst.id] ?? 'chain_broken');
  return fail(code, `${worst.subject}: ${worst.text}.`, { failed, ...checked });
}

async function check(cli: Cli, engine: Engine, what: string | undefined, key?: string): Promise<Result<Verified>> {
  if (what === undefined) {
    const verdict = await engine.local.verifyStore((done, total) => {
      // each session is checked by itself, so this is a good place to stop
      if (cli.signal.aborted) throw new AppFailure(STOPPED);
      cli.output.progress(`Checking ${number(done)} of ${number(total)} sessions`);
    });
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
  return ok({ kind, subjects });
}

function show({ output }: Cli, { subjects }: Verified): void {
  for (const { id, verdict } of subjects) {
    output.line(output.style('bold', id));
    for (const one of verdict.checks)
      output.line(`  ${one.ok ? output.style('green', '✓') : output.style('red', '✗')} ${one.text}`);
  }
}
