import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { AppInfo, SourceInfo } from '../../shared/api.ts';
import type { AppError } from '../../shared/errors.ts';
import type { SearchIndexState } from '../../shared/search.ts';
import { foundText } from '../../shared/source-count.ts';
import { UNKNOWN_RECORDS, withUnknown } from '../agents/unknown.ts';
import { type HomeFile, homeFilePath, readHomeFile, storePath } from '../keys/home-file.ts';
import { keyState } from '../keys/keys.ts';
import type { EngineContext } from '../procedures/context.ts';
import type { StoreReader } from '../store/contract.ts';
import { canary } from './canary.ts';
import type { Finding } from './finding.ts';

export interface Examination {
  /** false when anything is an error */
  ok: boolean;
  version: string;
  node: string;
  platform: string;
  home: string;
  keys: AppInfo['keys'] | null;
  findings: Finding[];
}

/** Looks at everything that a session or a handoff needs, and says what is wrong and what to do. */
export async function examine(context: EngineContext): Promise<Examination> {
  const { home, version } = context.options;
  const file = await readHomeFile(home);
  const findings: Finding[] = [];
  if (!file.ok) findings.push(failed('home', file.error));
  else if (file.value === null)
    findings.push({ id: 'home', level: 'note', text: `There is no store in ${home} yet`, fix: 'sessionctl init' });
  else findings.push(...(await examineHome(context, file.value)));
  const opened = file.ok && file.value ? await context.home() : null;
  findings.push(...(await examineAgents(context, opened?.ok ? opened.value.store.reader : null)));
  const keys = file.ok && file.value ? keyState(file.value.key) : null;
  const ok = findings.every((finding) => finding.level !== 'error');
  return { ok, version, node: process.version, platform: `${process.platform} ${process.arch}`, home, keys, findings };
}

const failed = (id: string, error: AppError): Finding => ({ id, level: 'error', text: error.message });

async function examineHome(context: EngineContext, file: HomeFile): Promise<Finding[]> {
  const { home } = context.options;
  const keys = keyState(file.key);
  const findings: Finding[] = [{ id: 'key', level: keys.weaker ? 'note' : 'ok', text: keys.text }];
  const own = [home, homeFilePath(home), storePath(home)];
  if (file.key.kind === 'keyfile') own.push(isAbsolute(file.key.path) ? file.key.path : join(home, file.key.path));
  findings.push(...(await examineModes(own)));
  const opened = await context.home();
  if (!opened.ok) return [...findings, failed('store', opened.error)];
  const { sessions, events, bytes } = await opened.value.store.reader.stats();
  findings.push({
    id: 'store',
    level: 'ok',
    text: `The store opens: sessions ${sessions}, events ${events}, size ${(bytes / 1e6).toFixed(1)} MB`,
  });
  return [...findings, searchIndex(await opened.value.search.state())];
}

/** An index that is behind is no fault: the next search goes on with it. */
function searchIndex({ complete, sessions, sessions_total }: SearchIndexState): Finding {
  const text = `Search: ${sessions} of ${sessions_total} sessions are in the index`;
  if (complete) return { id: 'search', level: 'ok', text };
  return { id: 'search', level: 'note', text, fix: 'Nothing; the next `sessionctl search` indexes the others' };
}

/** Nobody else may read what is ours. Windows has no such modes. */
async function examineModes(paths: string[]): Promise<Finding[]> {
  if (process.platform === 'win32') return [];
  const findings: Finding[] = [];
  for (const path of paths) {
    const found = await stat(path).catch(() => null);
    if (!found || (found.mode & 0o077) === 0) continue;
    const mode = found.isDirectory() ? '700' : '600';
    findings.push({ id: 'mode', level: 'warn', text: `Others may read ${path}`, fix: `chmod ${mode} ${path}` });
  }
  return findings;
}

async function examineAgents(context: EngineContext, reader: StoreReader | null): Promise<Finding[]> {
  const agents = await context.agents.describe();
  const sources = withUnknown(await context.agents.discover(), (await reader?.unknownRecords()) ?? []);
  const roots = new Set<string>(sources.filter((source) => source.exists).map((source) => source.agent));
  const here = agents.filter(({ id, installed }) => installed || roots.has(id));
  const absent = agents.filter((agent) => !here.includes(agent));
  const findings = here.map((agent) => versionOf(context, agent));
  if (absent.length > 0)
    findings.push({
      id: 'agents',
      level: 'note',
      text: `Neither program nor sessions here: ${absent.map(({ label }) => label).join(', ')}`,
    });
  for (const source of sources) findings.push(...aboutSource(source));
  const enabled = (await reader?.enabledSources()) ?? [];
  for (const { id, version } of here)
    if (enabled.includes(id)) findings.push(...(await tryReading(context, id, version)));
  return findings;
}

/** The installed version beside those that were checked. */
function versionOf(context: EngineContext, { id, label, installed, version }: AppInfo['agents'][number]): Finding {
  if (!installed)
    return {
      id: `agent:${id}`,
      level: 'note',
      text: `${label} was not found on the PATH`,
      fix: `Sessions can be read; to resume one, install ${label}`,
    };
  const adapter = context.agents.adapter(id);
  const { versions, on } = adapter.ok ? adapter.value.verified : { versions: [], on: '' };
  const known = version !== null && versions.includes(version);
  const checked = known ? `checked on ${on}` : `checked against ${versions.join(', ')} on ${on}`;
  return {
    id: `agent:${id}`,
    level: known ? 'ok' : 'note',
    text: `${label} ${version ?? '(version unknown)'}; ${checked}`,
  };
}

function aboutSource(source: Omit<SourceInfo, 'enabled'>): Finding[] {
  const id = `source:${source.agent}`;
  const findings: Finding[] = [];
  if (source.exists)
    findings.push({
      id,
      level: 'ok',
      text: `${source.label}: ${foundText([source])} in ${source.root}`,
    });
  for (const { about, detail } of source.warnings) {
    if (about === UNKNOWN_RECORDS) findings.push({ id: `unknown:${source.agent}`, level: 'note', text: detail });
    else findings.push({ id, level: 'warn', text: `${about}: ${detail}` });
  }
  return findings;
}

async function tryReading(context: EngineContext, id: string, version: string | null): Promise<Finding[]> {
  const adapter = context.agents.adapter(id);
  const found = adapter.ok ? await canary(adapter.value, context.options.agents, version) : null;
  return found === null ? [] : [found];
}
