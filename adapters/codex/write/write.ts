import type { Result } from '../../../src/shared/errors.ts';
import type { Warning } from '../../../src/shared/events.ts';
import type { MaterializeOptions, SessionSource, Written } from '../../contract.ts';
import { requireCwd, writeSession } from '../../conversation/write.ts';
import { readConfig, windowOf } from '../config.ts';
import { Expectations, remember } from '../expected.ts';
import { codexHome, readsPaginated, rolloutPath } from '../home.ts';
import type { RolloutOptions } from './meta.ts';
import { Rollout } from './rollout.ts';

/** Written as `cli_version` where the installed one is not known; Codex only asks that the field is there (measured). */
const UNKNOWN_VERSION = '0.0.0';

const VERSION_UNKNOWN: Warning = {
  about: 'target-version-unknown',
  detail:
    'The version of Codex is not known, so the older form is written: every version resumes it, but its transcript shows messages only.',
};

/** Streams the model view of a session into a rollout under a temporary name. */
export async function writeRollout(session: SessionSource, options: MaterializeOptions): Promise<Result<Written>> {
  const cwd = requireCwd(options.cwd);
  if (!cwd.ok) return cwd;
  const rollout = await rolloutOptions(session, options);
  const expectations = new Expectations();
  const written = await writeSession(session, options, {
    final: rolloutPath(codexHome(options.env), options.nativeId, options.at),
    begin: (first, emit, warn) => new Rollout(rollout, first, emit, warn),
    noted: (step, artifacts) => expectations.add(step, artifacts),
    warnings: options.version === null ? [VERSION_UNKNOWN] : [],
  });
  if (written.ok) remember(written.value, expectations);
  return written;
}

async function rolloutOptions(session: SessionSource, options: MaterializeOptions): Promise<RolloutOptions> {
  const config = await readConfig(options.env);
  return {
    threadId: options.nativeId,
    cwd: options.cwd,
    at: options.at,
    cliVersion: options.version ?? UNKNOWN_VERSION,
    provider: config.provider,
    gitBranch: session.row.git_branch,
    paginated: readsPaginated(options.version),
    tokens: options.tokens,
    contextWindow: windowOf(config).window,
    ...(options.preface === undefined ? {} : { preface: options.preface }),
  };
}
